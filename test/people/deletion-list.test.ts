/** Deletion lists: whoever is on one is forgotten, now or when a load brings them (decisions/0004-data.md). */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { identifyAddress, identifyLogin } from '../../api/names/forge-names.ts'
import {
  decodeDeletionList,
  type EntryResult,
  importDeletionList,
  type ListImportResult,
  parseDeletionList,
  previewDeletionList,
} from '../../api/people/deletion-list.ts'
import { listForgotten, undoForgetting } from '../../api/people/forget.ts'
import { forgetZelda, loadAll, names, others, own, searchTables, toolUrl } from '../support/forgotten.ts'
import { load } from '../support/ndjson.ts'
import { createCommit, createUser, loadRecords } from '../support/records.ts'
import { describeOnOneDatabase, useService } from '../support/service.ts'

const hash = (address: string, encoding: 'hex' | 'base64' | 'base64url' = 'base64') =>
  createHash('sha256').update(address).digest(encoding)

describe('a deletion list', () => {
  test('has addresses, and hashes of them in any of their forms', () => {
    const address = 'ada@example.com'
    const forms = [
      address,
      ' ADA@example.com\t',
      hash(address, 'hex'),
      hash(address, 'hex').toUpperCase(),
      hash(address),
      hash(address, 'base64url'),
    ]
    const entries = parseDeletionList(`\uFEFF# of today\r\n\r\n${forms.join('\r\n')}\n`)
    expect(entries).toEqual(
      forms.map((form, index) => ({
        line: index + 3,
        text: form.trim(),
        identity: `sha256:${hash(address, 'hex')}`,
      })),
    )
    expect(parseDeletionList('12+ada@users.noreply.forge.example')).toMatchObject([{ identity: 'id:12' }])
  })

  test.each([
    "o'brien@example.com",
    'ada+git@mail.example.co.uk',
    'josé@bücher.example',
    'ada@localhost',
    'ada@my_host.example',
    'ada@[192.0.2.1]',
    'ada@laptop.(none)',
    'root@(none)',
    '1+renovate[bot]@users.noreply.github.com',
    'a.!#$%&*/=?^_`{|}~-@x',
  ])('takes %s for an address', (address) => {
    expect(parseDeletionList(address)).toMatchObject([{ text: address }])
  })

  test.each([
    ['UTF-8', Buffer.from('\uFEFF# é\nada@example.com\r\n')],
    ['UTF-16 in the order of Windows', Buffer.from('\uFEFF# é\nada@example.com\r\n', 'utf16le')],
    ['UTF-16 in the other order', Buffer.from('\uFEFF# é\nada@example.com\r\n', 'utf16le').swap16()],
    ['UTF-8 with line breaks of old Macs', Buffer.from('# é\rada@example.com\r')],
  ])('is read in %s', (_encoding, bytes) => {
    expect(parseDeletionList(decodeDeletionList(bytes))).toMatchObject([{ line: 2, text: 'ada@example.com' }])
  })

  test.each([
    [Buffer.from('a@x\njosé@x\n', 'latin1'), "Line 2: the list isn't valid UTF-8"],
    [
      Buffer.concat([Buffer.from('\uFEFFa@x\n', 'utf16le'), Buffer.from([0])]),
      "Line 2: the list isn't valid UTF-16LE",
    ],
  ])('is refused in another encoding, with the line: %j', (bytes, message) => {
    expect(() => decodeDeletionList(bytes)).toThrow(message)
  })

  test.each([
    ['ada', 'Line 1: each must be an email address'],
    ['a@x\nAda <ada@example.com>\n12', 'Lines 2, 3: each must be'],
    ['a@x\na@x,b@x\n"c@x"\n12,d@x', 'Lines 2, 3, 4: each'],
    [`${'x\n'.repeat(8)}`, 'Lines 1, 2, 3, 4, 5 and 3 more: each must be'],
    [`${'x'.repeat(320)}@example.com`, 'Line 1: each'],
    ['forgotten@devdata.invalid', 'Line 1: each'],
    ['a@x\nmailto:ada@example.com', 'Line 2: each'],
    ['ada@example.com.', 'Line 1: each'],
    ['ada@example..com', 'Line 1: each'],
    ['ada@.example.com', 'Line 1: each'],
    ['ada@@example.com', 'Line 1: each'],
    ['@example.com', 'Line 1: each'],
    ['ada@', 'Line 1: each'],
    ["'ada@example.com'", 'Line 1: each'],
    ['ada\u200b@example.com', 'Line 1: each'],
    ['ada@example.com\u00ad', 'Line 1: each'],
    ['a\0d\0a\0@\0x\0', 'Line 1: each'],
    [`${hash('a')}\u200b`, 'Line 1: each'],
    [hash('a').slice(1), 'Line 1: each'],
    ['# nobody\n', 'The list has no entry. Nobody was forgotten'],
  ])('is refused without repeating what it has: %j', (text, message) => {
    expect(() => parseDeletionList(text)).toThrow(message)
  })
})

describeOnOneDatabase('whoever is on a deletion list', (kind) => {
  const service = useService(kind, { each: true, data: 'empty' })

  const forget = (...lines: string[]): Promise<ListImportResult> =>
    importDeletionList(service.sql, {
      entries: parseDeletionList(lines.join('\n')),
      keepRepositories: false,
    })
  const expectResults = async (lines: string[], results: EntryResult[]) =>
    expect((await forget(...lines)).results).toEqual(results)

  test('is forgotten with all that is known of them, as by name', async () => {
    await loadAll(service.sql)
    const entries = parseDeletionList([hash('nobody@example.com'), hash('zelda@example.com')].join('\n'))
    expect(await previewDeletionList(service.sql, { entries, keepRepositories: false })).toMatchObject({
      results: ['not found', 'found'],
      logins: ['Zelda-Q'],
      repositories: 1,
      commits: { removed: 2, redacted: 5, messages: 1 },
    })
    const result = await forget(hash('nobody@example.com'), hash('zelda@example.com'))
    expect(result).toMatchObject({
      results: ['not found', 'found'],
      users: { removed: 1 },
      repositories: { removed: 1 },
      commits: { removed: 2, updated: 5 },
      version: 2,
    })
    expect(await searchTables(service.sql, names)).toEqual([])
    expect(await listForgotten(service.sql)).toMatchObject({ people: [{ identities: 3 }], listed: 1 })
    // A later list of the regulator has them again.
    await expectResults(
      [hash('nobody@example.com', 'hex'), 'zelda@example.com'],
      ['not found', 'already forgotten'],
    )
    expect(await listForgotten(service.sql)).toMatchObject({ people: [{ identities: 3 }], listed: 1 })
    const noReply = '5+nobody@users.noreply.forge.example'
    for (let time = 0; time < 2; time++) await expectResults([noReply], ['not found'])
    expect(await listForgotten(service.sql)).toMatchObject({ people: [{ identities: 3 }], listed: 2 })
    await load(service, { users: [createUser(5, { login: 'was-nobody' })] })
    expect(await searchTables(service.sql, ['was-nobody'])).toEqual([])
    expect((await listForgotten(service.sql)).listed).toBe(1)
  })

  test('is found wherever an address stands: further ones, authors, co-authors, committers, messages', async () => {
    await loadAll(service.sql)
    const people = ['author', 'committer', 'signer', 'coauthor', 'mentioned']
    const base = createCommit(90, toolUrl, 'bob@example.com', 90)
    const messages = {
      signer: 'Fix\n\nSigned-off-by: S <signer@example.org>',
      coauthor: 'Fix\n\nCo-authored-by: C <coauthor@example.org>',
      mentioned: 'As mailto:Mentioned@example.org, said.',
    }
    await loadRecords(service.sql, {
      commits: [
        createCommit(91, toolUrl, 'AUTHOR@example.org', 91),
        {
          ...base,
          commit_hash: createCommit(92, toolUrl, '', 0).commit_hash,
          committer_email: 'committer@example.org',
        },
        ...Object.values(messages).map((message, index) => ({
          ...base,
          commit_hash: createCommit(93 + index, toolUrl, '', 0).commit_hash,
          message,
        })),
      ],
    })
    await load(service, { identities: [{ forge_rest_id: 77, addresses: ['further@example.org'] }] })
    const result = await forget(...[...people, 'further'].map((name) => hash(`${name}@example.org`)))
    expect(result).toMatchObject({
      results: Array.from({ length: 6 }, () => 'found'),
      users: { removed: 1 },
      commits: { updated: 6 },
    })
    expect(await searchTables(service.sql, ['@example.org', 'carol'])).toEqual([])
  })

  test('is found in messages in any form, again in what an earlier version left', async () => {
    await loadAll(service.sql)
    const forms = [
      "git config user.email 'q@example.org'",
      '`q@example.org`',
      'Co-authored-by: Q\n <q@example.org>',
    ]
    const commits = forms.map((form, index) => ({
      ...createCommit(90 + index, toolUrl, 'bob@example.com', 90),
      message: `Fix it\n\n${form}`,
    }))
    await forget('q@example.org')
    await undoForgetting(service.sql, { identities: [identifyAddress('q@example.org') ?? ''], people: [] })
    await load(service, { commits })
    const [before] = await service.sql<{ members: string[] }[]>`
      select json_agg(members) as members from commits where members like '%q@example.org%'`
    expect(before?.members).toHaveLength(3)
    await expectResults([hash('q@example.org')], ['found'])
    expect(await searchTables(service.sql, ['q@example.org', 'by: Q'])).toEqual([])

    // As if only the first form had been known.
    await service.sql`update commits set members = ${before?.members[0] ?? ''} where author_date = 90`
    expect(await forget(hash('q@example.org'))).toMatchObject({
      results: ['already forgotten'],
      commits: { updated: 3 },
    })
    expect(await searchTables(service.sql, ['q@example.org'])).toEqual([])
  })

  test('keeps repositories if that was said before, and the preview counts none of them', async () => {
    await loadAll(service.sql)
    const before = await service.sql<
      { members: string }[]
    >`select members from commits where author_date = 50`
    await forgetZelda(service.sql, { keepRepositories: true })
    // As if an earlier version had missed an address.
    await service.sql`update commits set members = ${before[0]?.members ?? ''} where author_date = 50`
    const entries = parseDeletionList(hash('zelda@example.com'))
    expect(await previewDeletionList(service.sql, { entries, keepRepositories: false })).toMatchObject({
      results: ['already forgotten'],
      repositories: 0,
      commits: { removed: 0, redacted: 1 },
    })
    expect(await forget(hash('zelda@example.com'))).toMatchObject({
      repositories: { removed: 0, updated: 0 },
      commits: { removed: 0, updated: 1 },
    })
  })

  test('is left out of later loads, and then known by all their names', async () => {
    await expectResults([hash('zelda@example.com'), hash('nobody@example.com')], ['not found', 'not found'])
    const all = { users: [...own.users, ...others.users], repos: [...own.repos, ...others.repos] }
    expect(await load(service, { ...all, commits: [...own.commits, ...others.commits] })).toMatchObject({
      users: { added: 2 },
    })
    expect(await searchTables(service.sql, names)).toEqual([])
    // Their login and id. The address is known by its hash.
    expect(await listForgotten(service.sql)).toMatchObject({ people: [{ identities: 2 }], listed: 1 })
    await expectResults([hash('zelda@example.com')], ['already forgotten'])
  })

  test('is known if they were forgotten by name before, and is let in again when that is undone', async () => {
    await loadAll(service.sql)
    await forgetZelda(service.sql)
    await expectResults([hash('zelda@example.com')], ['already forgotten'])
    await expectResults([hash('later@example.com')], ['not found'])
    const identities = [identifyLogin('zelda-q'), identifyAddress('later@example.com') ?? '']
    expect(await undoForgetting(service.sql, { identities, people: [] })).toHaveLength(2)
    const user = createUser(5, { email: 'later@example.com' })
    expect(await load(service, { users: [...own.users, user] })).toMatchObject({ users: { added: 2 } })
  })

  test('is one person if several entries name them', async () => {
    await loadAll(service.sql)
    await load(service, { identities: [{ forge_rest_id: 4711, addresses: ['z@work.example'] }] })
    await expectResults(
      [hash('z@work.example'), hash('zelda@example.com'), 'z@work.example'],
      ['found', 'found', 'found'],
    )
    expect((await listForgotten(service.sql)).people).toHaveLength(1)
  })

  test('is kept as a hash that reveals neither the address nor its hash', async () => {
    const texts = ['ada@example.com', hash('ada@example.com'), hash('ada@example.com', 'hex')]
    await forget('ada@example.com')
    expect(await searchTables(service.sql, texts)).toEqual([])
  })
})
