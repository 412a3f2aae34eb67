import { isTable, parseJsonObject, readTable, type Table } from './json-and-toml.ts'
import { type ManifestFormat, type OwnPackage, readWorkspace, type Workspace } from './manifest-format.ts'

export const composerJson: ManifestFormat = { files: ['composer.json'], parse: parseComposerJson }

/**
 * The packages in a `composer.json`, in lower case as Composer compares them.
 *
 * A package is `vendor/name`. Names without a vendor (`php`, `ext-json`, `lib-icu`, `composer-plugin-api`) belong to
 * the platform, which Composer does not install.
 *
 * A repository of the type `path` has packages in folders, for this file alone. What a file replaces at its own version
 * is a part of it, as the components of a framework are.
 *
 * @throws {Error} when it, or a section, is not a JSON object
 */
function* parseComposerJson(content: string): Generator<string | OwnPackage | Workspace> {
  const document = parseJsonObject(content)
  if (typeof document.name === 'string') yield { own: document.name.toLowerCase(), isUnique: false }
  for (const [name, version] of Object.entries(readTable(document, 'replace'))) {
    if (version === 'self.version') yield { own: name.toLowerCase(), isUnique: true }
  }
  yield* readWorkspace(listPaths(document), false)
  for (const section of ['require', 'require-dev']) {
    for (const name of Object.keys(readTable(document, section))) {
      if (name.includes('/')) yield name.toLowerCase()
    }
  }
}

/** The folders of path repositories, as patterns. Those outside of the repository are left out. */
function listPaths({ repositories }: Table): string[] {
  const all = Array.isArray(repositories) || isTable(repositories) ? Object.values(repositories) : []
  return all.filter(isTable).flatMap(({ type, url }) => {
    const isWithin = type === 'path' && typeof url === 'string' && !/^(?:[~$%\\/]|[a-z]:)/i.test(url)
    return isWithin ? [url] : []
  })
}
