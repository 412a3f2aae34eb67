/** What `changed_since` with filters finds when items gain something in other ways than by a load of their own records. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { markRestored } from '../../api/dataset/restored-dataset.ts'
import { rebuildSets, verifySets } from '../../api/dataset/set-verification.ts'
import { identifyAddress, identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import { readListResponse } from '../support/list-response.ts'
import { load, readDatasetVersion } from '../support/ndjson.ts'
import { createCommit, createRepository, createUser, loadRecords } from '../support/records.ts'
import { removeRows } from '../support/removal.ts'
import { describeOnEachDatabase, useService } from '../support/service.ts'

describeOnEachDatabase('what is new in a question', (kind) => {
  const service = useService(kind, { each: true, key: {}, data: 'empty' })
  const [urlOne, urlTwo] = ['https://forge.example/r/1', 'https://forge.example/r/2']
  const people = [1, 2, 3].map((number) =>
    createUser(number, { email: `${number}@example.com`, location: 'Berlin' }),
  )
  const repos = [1, 2].map((number) => createRepository(number, 'nobody', ['react']))
  beforeEach(() => loadRecords(service.sql, { users: people, repos }))
  afterEach(async () => {
    expect((await verifySets(service.sql, 'all')).faults).toEqual([])
  })

  const ask = (path: string) => service.request(path, { key: service.key })
  const readIds = async (path: string) =>
    readListResponse(await ask(path)).data.map(({ forge_rest_id: id }) => id)

  test('is who began to contribute, and to what', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, '1@example.com', 100)] })
    expect(await readIds('/users?contributed_to=nobody/repo-1&changed_since=1')).toEqual([1])
    expect(await readIds('/users?location=berlin&changed_since=1')).toEqual([1])
    expect(await readIds('/users?dependency_names=react&country=DE&changed_since=1')).toEqual([1])
    expect(await readIds('/repos?contributor=user-1&changed_since=1')).toEqual([1])
    expect(await readIds('/users?changed_since=1')).toEqual([])
    // Another commit of the same person and time gives them nothing.
    await loadRecords(service.sql, { commits: [createCommit(2, urlOne, '1@example.com', 100)] })
    expect(await readIds('/users?location=berlin&changed_since=2')).toEqual([])
    await loadRecords(service.sql, { commits: [createCommit(3, urlOne, '1@example.com', 200)] })
    expect(await readIds('/users?active_since=200&changed_since=3')).toEqual([1])
    expect(await readIds('/repos?contributor=user-1&changed_since=2')).toEqual([])
  })

  test('is whose commits were known before their address was', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, 'other@example.com', 100)] })
    await load(service, { identities: [{ forge_rest_id: 2, addresses: ['other@example.com'] }] })
    expect(await readIds('/users?contributed_to=nobody/repo-1&changed_since=2')).toEqual([2])
    expect(await readIds('/repos?contributor=user-2&changed_since=2')).toEqual([1])
    await loadRecords(service.sql, {
      commits: [createCommit(2, urlTwo, '9@example.com', 100)],
    })
    await loadRecords(service.sql, { users: [createUser(9, { email: '9@example.com' })] })
    expect(await readIds('/repos?contributor=user-9&changed_since=4')).toEqual([2])
  })

  test('is what contributors of another name contribute to, and who contributes to something of another name', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, '1@example.com', 100)] })
    await loadRecords(service.sql, { users: [createUser(1, { email: '1@example.com', login: 'renamed' })] })
    expect(await readIds('/repos?contributor=renamed&changed_since=2')).toEqual([1])
    await loadRecords(service.sql, { repos: [createRepository(1, 'nobody', ['react'], { name: 'moved' })] })
    expect(await readIds('/users?contributed_to=nobody/moved&changed_since=3')).toEqual([1])
  })

  test('is nobody who was forgotten or removed, and not what others lost with that', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, '1@example.com', 100)] })
    await forgetPerson(service.sql, {
      identities: [identifyLogin('user-1'), identifyAddress('1@example.com') ?? ''],
      keepRepositories: false,
    })
    expect(await readIds('/users?location=berlin&changed_since=0')).toEqual([2, 3])
    expect(await readIds('/users?dependency_names=react&changed_since=1')).toEqual([])
    await loadRecords(service.sql, { commits: [createCommit(2, urlTwo, '2@example.com', 100)] })
    const before = await readDatasetVersion(service)
    await removeRows(service.sql, { repositories: [2] })
    expect(await readIds(`/users?location=berlin&changed_since=${before}`)).toEqual([])
    expect(await readIds(`/users?without_dependency_names=react&changed_since=${before}`)).toEqual([2])
    await removeRows(service.sql, { users: [2] })
    expect(await readIds('/users?location=berlin&changed_since=0')).toEqual([3])
  })

  test('is 410 before a restored version, and before versions that an older devdata made', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, '1@example.com', 100)] })
    await service.sql`update dataset_versions set gained_term_id = null, lost_term_id = null where version = 1`
    expect(await readIds('/users?location=berlin&changed_since=1')).toEqual([1])
    const tooOld = await ask('/users?location=berlin&changed_since=0')
    expect([tooOld.status, tooOld.headers.get('X-Error-Code')]).toEqual([410, 'changes_expired'])
    expect(tooOld.headers.get('X-Credits-Cost')).toBe('0')
    expect(await readIds('/users?changed_since=0')).toEqual([1, 2, 3])
    const { version } = await markRestored(service.sql)
    expect((await ask(`/users?location=berlin&changed_since=${version - 1}`)).status).toBe(410)
    expect(await readIds(`/users?location=berlin&changed_since=${version}`)).toEqual([])
    await loadRecords(service.sql, { commits: [createCommit(2, urlOne, '2@example.com', 100)] })
    expect(await readIds(`/users?location=berlin&changed_since=${version}`)).toEqual([2])
  })

  test('stays the same when all sets are derived again', async () => {
    await loadRecords(service.sql, { commits: [createCommit(1, urlOne, '1@example.com', 100)] })
    await rebuildSets(service.sql)
    expect(await readIds('/users?location=berlin&changed_since=1')).toEqual([1])
    expect(await readIds('/users?location=berlin&changed_since=2')).toEqual([])
  })
})
