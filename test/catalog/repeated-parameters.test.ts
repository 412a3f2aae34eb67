/** Parameters that may be repeated, as HTTP clients write them (decisions/0003-lists.md). */
import { describe, expect, test } from 'vitest'
import { readListResponse } from '../support/list-response.ts'
import { findUsers, sampleRepositories, sampleUsers } from '../support/sample-oracle.ts'
import { anyDatabase, useService } from '../support/service.ts'

describe('a parameter that may be repeated', () => {
  const service = useService(anyDatabase, { key: {} })

  const ask = async (path: string) => readListResponse(await service.request(path, { key: service.key }))

  test.for<[writer: string, query: string]>([
    ['itself', 'location=berlin&location=lisbon'],
    ['axios', 'location[]=berlin&location[]=lisbon'],
    ['axios, escaped', 'location%5B%5D=berlin&location%5B%5D=lisbon'],
    ['PHP', 'location%5B0%5D=berlin&location%5B1%5D=lisbon'],
    ['PHP, in another order', 'location[1]=berlin&location[0]=lisbon'],
    ['several ways', 'location[12]=berlin&location[]=&location=lisbon'],
  ])('can be written by %s: %s', async ([, query]) => {
    const expected = findUsers({ location: ['berlin', 'lisbon'] })
    const { data, total, links } = await ask(`/users?${query}&per_page=5`)
    expect([data, total]).toEqual([expected.slice(0, 5), expected.length])
    for (const [, { searchParams }] of links) {
      expect([...searchParams.keys()].filter((name) => !/page|after/.test(name))).toEqual([
        'location',
        'location',
      ])
    }
    const next = links.get('next') ?? expect.unreachable()
    expect((await ask(next.pathname + next.search)).data).toEqual(expected.slice(5, 10))
  })

  test('can be written so in every list', async () => {
    const { total } = await ask('/repos?dependency_names=react,zod&dependency_files=package.json')
    expect(total).toBeGreaterThan(0)
    const brackets =
      'dependency_names[]=react&dependency_names[]=zod&dependency_files[0]=package.json&dependency_files[1]=x'
    expect((await ask(`/repos?${brackets}`)).total).toBe(total)
    const [first, second] = sampleUsers
    const [repository] = sampleRepositories
    for (const [path, found] of [
      [`/users?logins[]=${first?.login}&logins[]=${second?.login}`, [first, second]],
      [`/users?forge_rest_ids[0]=${second?.forge_rest_id}`, [second]],
      [`/repos?full_names[]=${repository?.full_name}`, [repository]],
    ] as const) {
      expect([path, (await ask(path)).data]).toEqual([path, found])
    }
  })

  test('keeps its rules', async () => {
    for (const [query, error] of [
      ['location[]=', 'Invalid location: is empty; leave the parameter out'],
      ['logins[]=a&location[]=b', 'Invalid logins: must be the only filter'],
      [
        Array.from({ length: 21 }, (_, index) => `location[${index}]=a`).join('&'),
        'Invalid location: given more than 20 times',
      ],
      ['page[]=1', 'Unknown parameter: page[]; did you mean page?'],
      ['changed_since[0]=0', 'Unknown parameter: changed_since[0]; did you mean changed_since?'],
    ]) {
      const response = await service.request(`/users?${query}`, { key: service.key })
      expect([query, response.status, response.json()]).toEqual([query, 400, { error }])
    }
  })

  test('is in links without its empty values, and grouped', async () => {
    const { links } = await ask(
      '/users?location=berlin&dependency_names=react&location=&dependency_names=,zod&location=lisbon&page=1',
    )
    expect([...(links.get('first')?.searchParams ?? [])]).toEqual([
      ['location', 'berlin'],
      ['location', 'lisbon'],
      ['dependency_names', 'react'],
      ['dependency_names', ',zod'],
      ['page', '1'],
      ['per_page', '30'],
    ])
    // Without its only value, a batch look-up would become a list of everyone.
    const batch = await ask('/users?logins=&logins=&location=&page=1')
    expect(batch.links.get('first')?.search).toBe('?logins=&location=&page=1&per_page=30')
  })
})
