import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ExportError, exportNdjson } from '../../../api/sources/ndjson/export.ts'
import { findSources, importNdjson } from '../../../api/sources/ndjson/import.ts'
import { locationOf, nodeOnFullDisk, runCommand } from '../../support/command-line.ts'
import { createFolder, dataFiles, readFiles, readObjects } from '../../support/export-folder.ts'
import { openSameDatabase } from '../../support/instance.ts'
import { readListResponse } from '../../support/list-response.ts'
import { load } from '../../support/ndjson.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../../support/records.ts'
import { describeOnOneDatabase, startTestService, useService } from '../../support/service.ts'

describeOnOneDatabase('An export', (kind) => {
  const origin = useService(kind)

  test('has what the API lists, in its order, without internal_id', async () => {
    await using folder = await createFolder()
    await exportNdjson(origin.sql, folder.path)
    const { secret: key } = await origin.createKey({ role: 'admin' })
    async function readItems(path: string): Promise<Record<string, unknown>[]> {
      const items: Record<string, unknown>[] = []
      for (let page = 1; ; page++) {
        const list = readListResponse(await origin.request(`${path}?per_page=100&page=${page}`, { key }))
        items.push(...list.data)
        if (!list.pagination.has_more) return items
      }
    }
    const repositories = await readItems('/repos')
    expect(await readObjects(folder.path, 'users.ndjson')).toEqual(await readItems('/users'))
    const text = await readFile(join(folder.path, 'repos.ndjson'), 'utf8')
    const hash = /,"(?:added|removed)_commit_hash":"[^"]*"/g // no list has those of dependencies
    const lines = text.replaceAll(hash, '').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      repositories.map(({ internal_id, ...members }) => members),
    )
    expect(text.match(hash)).toHaveLength(6)
    const commits = await readObjects(folder.path, 'commits.ndjson')
    for (const { full_name, url } of repositories.slice(0, 20)) {
      const oldestFirst = (await readItems(`/repos/${full_name}/commits`)).reverse()
      expect(commits.filter(({ repo_url }) => repo_url === url)).toEqual(oldestFirst)
    }
  })

  test('can be read by its owner only: the files, even in place of older ones, and a new folder', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'deep', 'copy')
    await exportNdjson(origin.sql, path)
    await chmod(join(path, 'users.ndjson'), 0o644)
    await writeFile(join(path, 'commits.ndjson.part'), 'of a killed export', { mode: 0o644 })
    await exportNdjson(origin.sql, path)
    const modes = (await readdir(path)).map((name) => statSync(join(path, name)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o600, 0o600])
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test('that is imported into an empty database and exported again has the same bytes', async () => {
    const copy = await startTestService(kind, { data: 'empty' })
    await using first = await createFolder()
    await using second = await createFolder()
    const exported = await exportNdjson(origin.sql, first.path)
    await importNdjson(copy.sql, { sources: await findSources([first.path]) })
    const again = await exportNdjson(copy.sql, second.path)
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
    expect(again.files).toEqual(exported.files)
    await copy.close()
  })

  test('has the same bytes after a round trip when items were removed before it', async () => {
    const service = await startTestService(kind)
    const copy = await startTestService(kind, { data: 'empty' })
    await using first = await createFolder()
    await using second = await createFolder()
    await exportNdjson(service.sql, first.path)
    const removals = (items: readonly Record<string, unknown>[], kind: 'user' | 'repository') =>
      items.filter((_, index) => index % 7 === 3).map(({ forge_rest_id }) => ({ forge_rest_id, kind }))
    const users = removals(await readObjects(first.path, 'users.ndjson'), 'user')
    const repositories = removals(await readObjects(first.path, 'repos.ndjson'), 'repository')
    const result = await load(service, { removals: [...users, ...repositories] })
    expect([result.users.removed, result.repositories.removed]).toEqual([users.length, repositories.length])
    expect(result.commits.removed).toBeGreaterThan(0)
    const exported = await exportNdjson(service.sql, first.path)
    expect(exported.files['users.ndjson']?.lines).toBe(300 - users.length)
    await importNdjson(copy.sql, { sources: await findSources([first.path]) })
    await exportNdjson(copy.sql, second.path)
    expect(await readFiles(second.path)).toEqual(await readFiles(first.path))
    await service.close()
    await copy.close()
  })

  test('has a manifest with the version, and the lines, bytes and SHA-256 of each file', async () => {
    await using folder = await createFolder()
    const manifest = await exportNdjson(origin.sql, folder.path)
    expect(JSON.parse(await readFile(join(folder.path, 'manifest.json'), 'utf8'))).toEqual(manifest)
    const files = await readFiles(folder.path)
    expect(manifest).toEqual({
      version: 1,
      files: Object.fromEntries(
        dataFiles.map((name, index) => {
          const content = files[index] ?? Buffer.of()
          return [
            name,
            {
              lines: content.toString().split('\n').length - 1,
              bytes: content.length,
              sha256: createHash('sha256').update(content).digest('hex'),
            },
          ]
        }),
      ),
    })
    expect(Object.values(manifest.files).map(({ lines }) => lines)).toEqual([300, 0, 400, 5878])
  })

  test('of an empty database has four empty files, which can be imported', async () => {
    const empty = await startTestService(kind, { data: 'empty' })
    await using folder = await createFolder()
    await exportNdjson(empty.sql, folder.path)
    expect((await readFiles(folder.path)).map(({ length }) => length)).toEqual([0, 0, 0, 0])
    const { version } = await importNdjson(empty.sql, { sources: await findSources([folder.path]) })
    expect(version).toBe(0)
    await empty.close()
  })

  test('replaces an earlier one, and leaves it as it was when it fails', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    await using folder = await createFolder()
    const loadBio = (bio: string) => loadRecords(service.sql, { users: [createUser(1, { bio })] })
    await loadBio('first')
    await exportNdjson(service.sql, folder.path)
    const before = await readFiles(folder.path)
    await loadBio('second')
    const failing = exportNdjson(service.sql, folder.path, {
      onProgress() {
        throw new Error('the disk is full')
      },
    })
    await expect(failing).rejects.toThrow('the disk is full')
    expect((await readdir(folder.path)).sort()).toEqual([...dataFiles, 'manifest.json'].sort())
    expect(await readFiles(folder.path)).toEqual(before)
    expect((await exportNdjson(service.sql, folder.path)).version).toBe(2)
    expect(await readObjects(folder.path, 'users.ndjson')).toEqual([createUser(1, { bio: 'second' })])
    await service.close()
  })

  test('removes what killed ones left, and is not taken for another folder because of it', async () => {
    await using folder = await createFolder()
    const killed = join(folder.path, 'unfinished-export-aB3dE6')
    await mkdir(killed)
    await writeFile(join(killed, 'commits.ndjson'), 'half of')
    await writeFile(
      join(folder.path, 'users.ndjson'),
      'of an export that was killed while it replaced another',
    )
    await writeFile(join(folder.path, 'repos.ndjson.part'), 'of 0.1.0')
    await exportNdjson(origin.sql, folder.path)
    expect((await readdir(folder.path)).sort()).toEqual([...dataFiles, 'manifest.json'].sort())
    expect(await readObjects(folder.path, 'users.ndjson')).toHaveLength(300)
  })

  test('continues in the folder of one of 0.1.0 that was killed at its end, also if the next one fails', async () => {
    await using folder = await createFolder()
    for (const name of ['users.ndjson', 'manifest.json.part']) await writeFile(join(folder.path, name), 'old')
    const args = ['export', 'ndjson', folder.path]
    const failing = await runCommand(args, { ...locationOf(origin), program: nodeOnFullDisk })
    expect(failing.code).toBe(1)
    await exportNdjson(origin.sql, folder.path)
    expect((await readdir(folder.path)).sort()).toEqual([...dataFiles, 'manifest.json'].sort())
  })

  test('names the file when the disk has no room for it', async () => {
    await using folder = await createFolder()
    const result = await runCommand(['export', 'ndjson', folder.path], {
      ...locationOf(origin),
      program: nodeOnFullDisk,
    })
    expect(result).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\S+users\.ndjson can't be written: file too large\n$/),
    })
    expect(await readdir(folder.path)).toEqual([])
  })

  test.each(['notes.txt', 'users.ndjson'])(
    'writes nothing to a folder with a %s that is not an export’s',
    async (name) => {
      await using folder = await createFolder()
      await writeFile(join(folder.path, name), 'mine')
      await expect(exportNdjson(origin.sql, folder.path)).rejects.toThrow(ExportError)
      expect(await readdir(folder.path)).toEqual([name])
      expect(await readFile(join(folder.path, name), 'utf8')).toBe('mine')
    },
  )

  test('says that a folder cannot be created', async () => {
    if (existsSync('/proc/self')) {
      await expect(exportNdjson(origin.sql, '/proc/copy')).rejects.toThrow(
        "Can't create the folder /proc/copy: no such file or directory",
      )
    }
    await using folder = await createFolder()
    const path = join(folder.path, 'notes.txt')
    await writeFile(path, 'mine')
    const failing = exportNdjson(origin.sql, path)
    await expect(failing).rejects.toThrow(ExportError)
    await expect(failing).rejects.toThrow(`Can't create the folder ${path}: file already exists`)
  })

  test('is a command, which creates the folder and says what it wrote', async () => {
    await using folder = await createFolder()
    const path = join(folder.path, 'new', 'copy')
    const text = await runCommand(['export', 'ndjson', path], locationOf(origin))
    expect(text).toEqual({
      code: 0,
      stdout: `users.ndjson      300 lines\nidentities.ndjson 0 lines\nrepos.ndjson      400 lines\ncommits.ndjson    5,878 lines\ndataset           version 1, in ${path}\n`,
      stderr: '',
    })
    const json = await runCommand(['export', 'ndjson', path, '--json'], locationOf(origin))
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(await readFile(join(path, 'manifest.json'), 'utf8')))
    const refused = await runCommand(['export', 'ndjson', tmpdir()], locationOf(origin))
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('choose a new folder')])
  })
})

describeOnOneDatabase('Two exports to one folder', (kind) => {
  if (kind === 'embedded') return // its one session can't export twice at a time

  test('leave one, whose files are all its own; the one that began first ends with an error', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    const operator = await openSameDatabase(service)
    await using folder = await createFolder()
    /** Begins an export, and waits until it has written users. */
    async function begin() {
      const { promise: hasUsers, resolve: onProgress } = Promise.withResolvers<unknown>()
      const exported = Promise.allSettled([exportNdjson(service.sql, folder.path, { onProgress })])
      await Promise.race([hasUsers, exported])
      return { exported }
    }
    await loadRecords(service.sql, { users: [createUser(1, { bio: 'first' })] })
    const [first, second] = await operator.sql.begin(async (tx) => {
      await tx`lock table commits in access exclusive mode` // no export gets to them
      const begun = await begin()
      await service.sql`update users set document = replace(document, 'first', 'second')` // a load would wait, too
      return [begun, await begin()]
    })
    expect(await first?.exported).toMatchObject([
      {
        reason: {
          name: 'ExportError',
          message: expect.stringContaining('another export to this folder has begun'),
        },
      },
    ])
    expect(await second?.exported).toMatchObject([{ status: 'fulfilled' }])
    expect((await readdir(folder.path)).sort()).toEqual([...dataFiles, 'manifest.json'].sort())
    expect(await readObjects(folder.path, 'users.ndjson')).toEqual([createUser(1, { bio: 'second' })])
    const { files } = JSON.parse(await readFile(join(folder.path, 'manifest.json'), 'utf8'))
    const sums = (await readFiles(folder.path)).map((file) => createHash('sha256').update(file).digest('hex'))
    expect(dataFiles.map((name) => files[name].sha256)).toEqual(sums)
    await operator.close()
    await service.close()
  })
})

describeOnOneDatabase('An export while loads are applied', (kind) => {
  test('is of one version: its manifest’s', async () => {
    const service = await startTestService(kind, { data: 'empty' })
    let loaded = 0
    const loadNext = async () => {
      const mark = `load ${loaded + 1}`
      const url = 'https://forge.example/r/1'
      await loadRecords(service.sql, {
        users: Array.from({ length: 600 }, (_, index) => createUser(index + 1, { bio: mark })),
        repos: Array.from({ length: 300 }, (_, index) =>
          createRepository(index + 1, 'ada', ['react'], { description: mark }),
        ),
        commits: Array.from({ length: 300 }, (_, index) => ({
          ...createCommit(index, url, 'ada@example.org', index),
          message: mark,
        })),
      })
      loaded++
    }
    await loadNext()
    let isDone = false
    const loading = (async () => {
      while (!isDone) await loadNext()
    })()
    const versions = new Set<number>()
    while (versions.size < 4) {
      await using folder = await createFolder()
      const { version } = await exportNdjson(service.sql, folder.path)
      const marks = new Set<unknown>()
      for (const { bio } of await readObjects(folder.path, 'users.ndjson')) marks.add(bio)
      for (const { description } of await readObjects(folder.path, 'repos.ndjson')) marks.add(description)
      for (const { message } of await readObjects(folder.path, 'commits.ndjson')) marks.add(message)
      expect([...marks]).toEqual([`load ${version}`])
      versions.add(version)
    }
    isDone = true
    await loading
    await service.close()
  })
})
