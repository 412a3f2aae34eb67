import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { findSources, importNdjson } from '../../../api/sources/ndjson/import.ts'
import { createFolder } from '../../support/export-folder.ts'
import { load, readDatasetVersion } from '../../support/ndjson.ts'
import { createRepository, createUser } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

const remedy =
  'Copy the export again. If its files were changed on purpose, name them instead of the folder, or delete manifest.json'

describeOnOneDatabase('The copy of an export', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })
  let folder: Awaited<ReturnType<typeof createFolder>>
  const pathOf = (name: string) => join(folder.path, name)

  beforeEach(async () => {
    folder = await createFolder()
    await load(service, {
      users: [1, 2, 3].map((number) => createUser(number)),
      repos: [createRepository(1, 'ada', ['react'])],
    })
    await exportNdjson(service.sql, folder.path)
    return () => folder[Symbol.asyncDispose]()
  })

  /** Loads the folder as a mirror, which removes what its files lack. */
  async function mirror(paths = [folder.path]) {
    return importNdjson(service.sql, { sources: await findSources(paths), onMirror: async () => {} })
  }

  async function readManifestFile() {
    return JSON.parse(await readFile(pathOf('manifest.json'), 'utf8'))
  }

  test('is refused if a file was cut at the end of a line, which would remove items', async () => {
    const text = await readFile(pathOf('users.ndjson'), 'utf8')
    const left = text.indexOf('\n') + 1
    await truncate(pathOf('users.ndjson'), left)
    await expect(mirror()).rejects.toThrow(
      `${pathOf('users.ndjson')} has ${left} bytes, but manifest.json says ${text.length} bytes in 3 lines; nothing was changed. ${remedy}`,
    )
    expect(await readDatasetVersion(service)).toBe(1)
    // What the error says works: naming the files, or deleting the manifest.
    expect((await mirror([pathOf('users.ndjson'), pathOf('repos.ndjson')])).users.removed).toBe(2)
    await rm(pathOf('manifest.json'))
    expect((await mirror()).version).toBe(2)
  })

  test('is refused if a file is missing, unless another kind alone is loaded', async () => {
    await rm(pathOf('repos.ndjson'))
    await expect(mirror()).rejects.toThrow(
      /repos\.ndjson is missing, but manifest\.json says \d+ bytes in 1 line; nothing/,
    )
    expect(await findSources([folder.path], 'users')).toHaveLength(1)
    await expect(findSources([folder.path], 'repos')).rejects.toThrow('repos.ndjson is missing')
  })

  test('is refused if a file has other content of the same length, with nothing changed or left behind', async () => {
    const text = await readFile(pathOf('users.ndjson'), 'utf8')
    await writeFile(pathOf('users.ndjson'), text.replace('"login":"user-1"', '"login":"user-7"'))
    const { sha256 } = (await readManifestFile()).files['users.ndjson']
    await expect(mirror()).rejects.toThrow(
      new RegExp(
        `users\\.ndjson has the SHA-256 [0-9a-f]{64}, but manifest\\.json says ${sha256}; nothing was`,
      ),
    )
    expect(await readDatasetVersion(service)).toBe(1)
    expect(await service.sql`select id from imports`).toEqual([])
    await writeFile(pathOf('users.ndjson'), text)
    expect((await mirror()).version).toBe(1)
  })

  test('is refused if changes lack their removals, and loaded if they are complete', async () => {
    await exportNdjson(service.sql, folder.path, { since: 0 })
    expect((await importNdjson(service.sql, { sources: await findSources([folder.path]) })).version).toBe(1)
    await rm(pathOf('removals.ndjson'))
    await expect(mirror()).rejects.toThrow('removals.ndjson is missing, but manifest.json says 0 bytes')
  })

  test.each([
    [
      'a part of JSON',
      (text: string) => text.slice(0, 40),
      "isn't JSON. If the folder is an export, copy it again",
    ],
    ['nothing', () => '', "isn't JSON. If the folder is an export, copy it again"],
    [
      'no number of bytes',
      (text: string) => text.replace('"bytes"', '"size"'),
      'files.users.ndjson.bytes is missing',
    ],
    [
      'a cut hash',
      (text: string) => text.replace(/("sha256": "\w{63})\w/, '$1'),
      'files.users.ndjson.sha256 is',
    ],
  ])('is refused if its manifest has %s', async (_what, change, message) => {
    await writeFile(pathOf('manifest.json'), change(await readFile(pathOf('manifest.json'), 'utf8')))
    await expect(mirror()).rejects.toThrow(message)
  })

  test.each([
    ['a web app', { name: 'devdata', icons: [] }],
    ['another export', { version: '1.0', files: { 'users.ndjson': { bytes: 1, sha256: 'x' } } }],
    ['other files', { version: 1, files: { 'index.html': { bytes: 1 } } }],
    ['no object', ['users.ndjson']],
  ])('may lie beside a manifest.json of %s', async (_what, manifest) => {
    await writeFile(pathOf('manifest.json'), `\ufeff${JSON.stringify(manifest)}`)
    await truncate(pathOf('repos.ndjson'), 0)
    expect((await mirror()).repositories.removed).toBe(1)
  })
})
