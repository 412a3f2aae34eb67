/** The files that the pages "Load files" and "Remove data" show load as they stand. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readJson, startServiceForCommands } from '../support/command-line.ts'
import { anyDatabase } from '../support/service.ts'
import { useStarted } from '../support/suite.ts'

const pages = ['load-files.md', 'remove-data.md'].map((name) =>
  join(import.meta.dirname, '../../docs-site/src/content/docs', name),
)

const commands = useStarted(() => startServiceForCommands(anyDatabase))

test('the files of the pages "Load files" and "Remove data" load as they stand', async () => {
  const text = (await Promise.all(pages.map((page) => readFile(page, 'utf8')))).join('\n')
  const blocks = text.matchAll(/^```json title="(\w+)\.ndjson"\n(.*?)^```$/gms)
  const files = new Map([...blocks].map(([, kind = '', lines = '']) => [kind, lines]))
  expect([...files.keys()].sort()).toEqual(['identities', 'removals', 'users'])
  // No other block looks like a file to load.
  expect(text.match(/^```json/gm)).toHaveLength(files.size)

  const load = async (folder: string, kinds: readonly string[]) => {
    await mkdir(join(commands.directory, folder))
    for (const kind of kinds) {
      await writeFile(join(commands.directory, folder, `${kind}.ndjson`), files.get(kind) ?? '')
    }
    return readJson(commands.run, ['import', 'ndjson', folder])
  }
  expect(await load('data', ['users', 'identities'])).toMatchObject({ users: { added: 1 } })
  expect(await load('changes', ['removals'])).toMatchObject({ users: { removed: 1 } })
})
