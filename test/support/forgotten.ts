/** A dataset with a person who is named in all its places, and the search for that person. */
import { expect } from 'vitest'
import type { Sql } from '../../api/database/connect.ts'
import { identifyAddress, identifyLogin } from '../../api/names/forge-names.ts'
import { forgetPerson } from '../../api/people/forget.ts'
import type { Records } from './records.ts'
import { createCommit, createRepository, createUser, loadRecords } from './records.ts'

/** What nobody else in the dataset has. */
export const names = ['zelda-q', 'zelda@example.com', '4711+', 'Elm Street 5', 'Elm Labs']

const profileUrl = 'https://forge.example/Zelda-Q/zelda-q'
export const toolUrl = 'https://forge.example/bob/tool'

/** The person's own records. */
export const own: Required<Records> = {
  users: [
    createUser(4711, {
      login: 'Zelda-Q',
      email: 'Zelda@example.com',
      location: 'Elm Street 5',
      company: '@Elm Labs',
      bio: 'I am zelda-q',
    }),
  ],
  repos: [
    createRepository(501, 'Zelda-Q', ['hono'], {
      url: profileUrl,
      name: 'zelda-q',
      description: 'By @zelda-q <zelda@example.com>',
      homepage: 'https://zelda-q.example',
      owner_avatar_url: 'https://forge.example/avatars/zelda-q',
    }),
  ],
  commits: [
    createCommit(51, profileUrl, 'zelda@example.com', 10),
    createCommit(52, profileUrl, 'bob@example.com', 20),
  ],
}

/** Records of others, some of which name the person. */
export const others: Required<Records> = {
  users: [
    createUser(1, { login: 'bob', email: 'bob@example.com', location: 'Berlin' }),
    createUser(77, { login: 'carol', email: 'carol@example.com' }),
  ],
  repos: [createRepository(502, 'bob', ['zod'], { url: toolUrl, name: 'tool' })],
  commits: [
    createCommit(1, toolUrl, 'ZELDA@example.com', 10),
    createCommit(2, toolUrl, '4711+old-name@users.noreply.forge.example', 20),
    createCommit(3, toolUrl, 'zelda-q@users.noreply.forge.example', 30),
    { ...createCommit(4, toolUrl, 'bob@example.com', 40), committer_email: 'zelda@example.com' },
    {
      ...createCommit(5, toolUrl, 'bob@example.com', 50),
      message:
        'Merge from Zelda-Q/fix\n\nThanks @ZELDA-Q, zelda@example.com\n\n' +
        'Co-authored-by: Zelda <4711+zelda-q@users.noreply.forge.example>\nSigned-off-by: Bob <bob@example.com>',
    },
    createCommit(6, toolUrl, 'bob@example.com', 60),
    createCommit(7, toolUrl, 'carol@example.com', 70),
  ],
}

/** Loads all records. */
export async function loadAll(sql: Sql): Promise<void> {
  await loadRecords(sql, {
    users: [...own.users, ...others.users],
    repos: [...own.repos, ...others.repos],
    commits: [...own.commits, ...others.commits],
  })
}

/** Forgets the person by login. */
export function forgetZelda(sql: Sql, options: { keepRepositories?: boolean; email?: string } = {}) {
  const { keepRepositories = false, email } = options
  const address = email === undefined ? null : identifyAddress(email)
  const identities = [identifyLogin('zelda-q'), ...(address === null ? [] : [address])]
  return forgetPerson(sql, { identities, keepRepositories })
}

/** Lists the rows of all tables, and the planner's samples, that have one of the texts. */
export async function searchTables(sql: Sql, texts: readonly string[]): Promise<string[]> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = current_schema() order by tablename`
  expect(tables.length).toBeGreaterThan(20)
  const found: string[] = []
  for (const { name } of [...tables, { name: 'pg_stats' }]) {
    const own = name === 'pg_stats' ? sql`where schemaname = current_schema()` : sql``
    const rows = await sql<{ row: string }[]>`select t::text as row from ${sql(name)} t ${own}`
    for (const { row } of rows) if (hasAny(row, texts)) found.push(`${name}: ${row}`)
  }
  return found
}

/** Whether a text has one of the names, in any case. */
export function hasAny(text: string, texts: readonly string[]): boolean {
  return texts.some((each) => text.toLowerCase().includes(each.toLowerCase()))
}
