import { parseJsonObject, readTable } from './json-and-toml.ts'

/**
 * The packages in a `composer.json`, in lower case as Composer compares them.
 *
 * A package is `vendor/name`. Names without a vendor (`php`, `ext-json`, `lib-icu`, `composer-plugin-api`) belong to the
 * platform, which Composer does not install.
 *
 * @throws {Error} when it, or a section, is not a JSON object
 */
export function* parseComposerJson(content: string): Generator<string> {
  const document = parseJsonObject(content)
  for (const section of ['require', 'require-dev']) {
    for (const name of Object.keys(readTable(document, section))) {
      if (name.includes('/')) yield name.toLowerCase()
    }
  }
}
