import { expect, test } from 'vitest'
import { type InvalidLine, importNdjson, type Source } from '../../../api/sources/ndjson/import.ts'
import { ImportError } from '../../../api/staging/import-error.ts'
import { locationOf, runCommand } from '../../support/command-line.ts'
import { createSource, nothing } from '../../support/ndjson.ts'
import { createUser } from '../../support/records.ts'
import { describeOnOneDatabase, useService } from '../../support/service.ts'

describeOnOneDatabase('the lines of an import', (kind) => {
  const service = useService(kind, { key: { role: 'admin' }, data: 'empty' })

  const odd = 'a\u2028b\u2029c\u0085d\u000be 🦊 \\n é'
  const user = JSON.stringify(createUser(1, { bio: odd }))
  const other = JSON.stringify(createUser(2))
  test.each<[string, string]>([
    ['LF', `${user}\n${other}\n`],
    ['no newline at the end', `${user}\n${other}`],
    ['CRLF', `${user}\r\n${other}\r\n`],
    ['blank lines', `\n\n  \t\r\n${user}\n\n${other}\n\n   `],
    ['a byte order mark', `\ufeff${user}\n${other}\n`],
    ['a byte order mark in each of several files put together', `\ufeff${user}\n\ufeff${other}\n`],
  ])('are the same with %s, in chunks of any size', async (_what, text) => {
    for (const chunkSize of [1, 7, 65_536]) {
      const sources = [createSource('users', text, chunkSize)]
      const result = await importNdjson(service.sql, { sources })
      expect(result.version).toBe(1)
    }
    expect((await service.request('/users/user-1', { key: service.key })).json()).toEqual(
      createUser(1, { bio: odd }),
    )
    expect((await service.request('/users', { key: service.key })).headers.get('X-Total-Count')).toBe('2')
  })

  test('may be none at all, which changes nothing', async () => {
    for (const text of ['', '\n', '\ufeff']) {
      const result = await importNdjson(service.sql, { sources: [createSource('users', text)] })
      expect(result).toMatchObject({ users: nothing })
    }
  })

  test('that are not UTF-8 stop the load, or are skipped like any other', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${JSON.stringify(createUser(3))}\n`),
      Buffer.from('"caf\xe9"\n', 'latin1'),
      Buffer.from(`${JSON.stringify(createUser(4))}\n`),
    ])
    const sources = [createSource('users', bytes)]
    await expect(importNdjson(service.sql, { sources })).rejects.toThrow(
      new ImportError('users.ndjson:2: not UTF-8 text; nothing was changed'),
    )
    const invalid: InvalidLine[] = []
    const result = await importNdjson(service.sql, {
      sources,
      onInvalid: async (line) => {
        invalid.push(line)
      },
    })
    expect(result.users).toEqual({ added: 2, updated: 0, removed: 0 })
    expect(invalid).toMatchObject([{ line: 2, reason: 'not UTF-8 text', content: '"caf\ufffd"' }])
  })

  test('that are longer than 64 MiB are refused without being kept', async () => {
    const source: Source = {
      kind: 'users',
      name: 'users.ndjson',
      size: undefined,
      async *open() {
        const chunk = Buffer.alloc(2 ** 20, 'x')
        for (let megabytes = 0; megabytes < 70; megabytes++) yield chunk
        yield Buffer.from(`\n${JSON.stringify(createUser(5))}`)
      },
    }
    const invalid: InvalidLine[] = []
    await importNdjson(service.sql, {
      sources: [source],
      onInvalid: async (line) => {
        invalid.push(line)
      },
    })
    expect(invalid).toEqual([
      { file: 'users.ndjson', line: 1, reason: 'longer than 67108864 bytes', content: '' },
    ])
    expect((await service.request('/users/user-5', { key: service.key })).status).toBe(200)
  })

  test('are loaded in roughly constant memory', async () => {
    // What is still referenced. The engine decides when it frees the rest, and how large the process is until then.
    const report = `
      let peak = 0
      setInterval(() => {
        gc()
        const { heapUsed, external } = process.memoryUsage()
        peak = Math.max(peak, heapUsed + external)
      }, 100).unref()
      process.on('exit', () => console.error('held ' + peak))`
    const program = [
      process.execPath,
      '--expose-gc',
      '--import',
      `data:text/javascript,${encodeURIComponent(report)}`,
    ]
    /** The most that the command held at a time, in MiB. */
    const measurePeak = async (lines: number): Promise<number> => {
      const location = locationOf(service)
      async function* generate() {
        const bio = 'x'.repeat(1000)
        for (let number = 1; number <= lines; number++) {
          yield `${JSON.stringify(createUser(1_000_000 + number, { bio }))}\n`
        }
      }
      const { code, stdout, stderr } = await runCommand(
        ['import', 'ndjson', '-', '--kind', 'users', '--json'],
        { ...location, program, input: generate() },
      )
      expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`"lines":${lines}`) })
      return Number(/held (\d+)/.exec(stderr)?.[1]) / 2 ** 20
    }
    const manyLines = 40_000 // more than 40 MiB
    const few = await measurePeak(5_000)
    const many = await measurePeak(manyLines)
    console.log(
      `a load of 5,000 lines held ${few.toFixed(1)} MiB at most, one of ${manyLines} ${many.toFixed(1)}`,
    )
    expect(few).toBeGreaterThan(0)
    expect(many).toBeLessThan(few + 25)
  })
})
