import { parseJsonObject, readTable } from './table.ts'

/**
 * The packages in a `composer.json`, in lower case as Composer compares them.
 *
 * A package is `vendor/name`. What has no vendor is the platform (`php`, `ext-json`, `lib-icu`, `hhvm`,
 * `composer-plugin-api`), which nobody installs through Composer.
 *
 * @throws {Error} when it is not a JSON object, or a section is not one
 */
export function* parseComposerJson(content: string): Generator<string> {
  const document = parseJsonObject(content)
  for (const section of ['require', 'require-dev']) {
    for (const name of Object.keys(readTable(document, section))) {
      if (name.includes('/')) yield name.toLowerCase()
    }
  }
}
