/**
 * What is taken out of commits that name forgotten people, and what stays.
 *
 * @module
 */
import { describe, expect, test } from 'vitest'
import {
  forgottenAddress,
  identifyAddress,
  identifyForgeId,
  identifyLogin,
  listIdentities,
} from '../../api/names/forge-names.ts'
import {
  findOwnerInUrl,
  redactCommit,
  redactRepository,
  replaceOwnerInUrl,
} from '../../api/people/redaction.ts'
import { createCommit, createRepository } from '../support/records.ts'

const forgotten = new Set([
  identifyForgeId(1001),
  identifyLogin('ada-l'),
  identifyAddress('ada@example.com'),
  identifyAddress('josé@example.com'),
])
const isForgotten = (identity: string) => forgotten.has(identity)

function redactMessage(message: string): string {
  const commit = { ...createCommit(1, 'https://forge.example/o/r', 'bob@example.com', 0), message }
  return redactCommit(commit, isForgotten).message
}

describe('a commit that names a forgotten person', () => {
  test.each([
    'ada@example.com',
    'ADA@Example.COM',
    'jose\u0301@example.com',
    '1001+any-login@users.noreply.forge.example',
    '7+Ada-L@users.noreply.forge.example',
    'ada-l@users.noreply.forge.example',
    // Git takes any text for an address.
    '<ada@example.com>',
    'Ada <ada@example.com>',
    'ada@example.com ',
    'ada@example.com, bob@example.com',
    'Ada-L',
  ])('has one constant address in place of %s', (address) => {
    const commit = createCommit(1, 'https://forge.example/o/r', address, 5)
    expect(redactCommit(commit, isForgotten)).toEqual({
      ...commit,
      author_email: forgottenAddress,
      committer_email: forgottenAddress,
    })
  })

  test.each([
    'bob@example.com',
    'ada@example.org',
    'new-ada@example.com',
    'ada+git@example.com',
    '10010+bob@users.noreply.forge.example',
    '',
  ])('keeps other addresses: %j', (address) => {
    const commit = createCommit(1, 'https://forge.example/ada-l/r', address, 5)
    expect(redactCommit(commit, isForgotten)).toBe(commit)
  })

  test.each([
    ['Fix it\n\nSigned-off-by: Ada L <ada@example.com>', 'Fix it'],
    [
      'Fix it\n\nCo-authored-by: Ada <7+ada-l@users.noreply.forge.example>\nSigned-off-by: Bob <bob@example.com>\n',
      'Fix it\n\nSigned-off-by: Bob <bob@example.com>',
    ],
    ['Fix it\r\n\r\n  * Reviewed-By: ADA-L\r\nDone', 'Fix it\r\n\r\nDone'],
    ['Fix it\n\nAcked-by: Ada Lovelace (@ada-l)', 'Fix it'],
    ['Fix it\n\nReported-by: ada@example.com', 'Fix it'],
    ['Fix it\n\nFrom: Ada <ADA@EXAMPLE.COM> on Monday', 'Fix it'],
    ['Fix it\n\nCc: Ada-L <other@example.com>', 'Fix it'],
  ])('loses the trailers that name the person: %j', (message, expected) => {
    expect(redactMessage(message)).toBe(expected)
  })

  test.each([
    ['Ask ada@example.com.', `Ask ${forgottenAddress}.`],
    ['See mailto:Ada@Example.com, -ada@example.com', `See mailto:${forgottenAddress}, -${forgottenAddress}`],
    ['to=ada@example.com;jose\u0301@example.com', `to=${forgottenAddress};${forgottenAddress}`],
    ['Patch of Ada <ada@example.com>', `Patch of Ada <${forgottenAddress}>`],
    ['Thanks @ada-l!', 'Thanks forgotten!'],
    ['(@ADA-L, @ada-l.)', '(forgotten, forgotten.)'],
    ['@ada-l[bot] did', 'forgotten[bot] did'],
    ['Merge pull request #7 from ada-l/fix', 'Merge pull request #7 from forgotten/fix'],
    ['[ada-l/x](https://forge.example/Ada-L/x)', '[forgotten/x](https://forge.example/forgotten/x)'],
    ['git@forge.example:ada-l/x.git', 'git@forge.example:forgotten/x.git'],
    ['https://forge.example/ada-l.', 'https://forge.example/forgotten.'],
    ['bump forge.example/ada-l/x to v2', 'bump forge.example/forgotten/x to v2'],
  ])('has no address or login of the person elsewhere in the message: %j', (message, expected) => {
    expect(redactMessage(message)).toBe(expected)
    expect(redactMessage(expected)).toBe(expected)
  })

  test.each([
    'Fix src/ada-l/file.ts',
    'Thanks @ada-lovelace and @ada',
    'mail bob@ada-l',
    'Merge from ada-lovelace/fix',
    'note: new-ada@example.com',
    'Fixes: ada-l',
    'Signed-off-by: Ada <bob@example.com>',
    `By ${forgottenAddress}`,
    'Ends with a line\n',
  ])('keeps what names others: %j', (message) => {
    expect(redactMessage(message)).toBe(message)
  })

  test('is redacted in linear time, whatever the message', () => {
    for (const piece of ['a', 'a.', '<@', '@', '@.', '-', 'a/', '[.', ' a-by:', '>*', 'a@', '=a@b ']) {
      const message = piece.repeat(200_000)
      expect(redactMessage(message)).toBe(message)
    }
  }, 30_000)
})

test('the constant address names nobody', () => {
  expect(identifyAddress(forgottenAddress)).toBeNull()
  expect(listIdentities(forgottenAddress.toUpperCase())).toEqual([])
})

test('a repository that stays says nowhere whose it was', () => {
  const url = 'https://forge.example/Ada-L/ada-l.pages'
  const repository = createRepository(1, 'Ada-L', ['forge.example/ada-l/tool'], {
    url,
    name: 'ada-l.pages',
    description: 'Pages of @ada-l <ada@example.com>',
    homepage: 'https://ada-l.pages.example',
    owner_avatar_url: 'https://forge.example/avatars/1001',
    default_branch: 'ada-l/main',
  })
  const redacted = redactRepository(repository, 'forgotten.3', isForgotten)
  expect(redacted).toMatchObject({
    url: 'https://forge.example/forgotten.3/forgotten.pages',
    name: 'forgotten.pages',
    full_name: 'forgotten.3/forgotten.pages',
    owner_login: 'forgotten.3',
    owner_avatar_url: null,
    description: `Pages of forgotten <${forgottenAddress}>`,
    homepage: null,
    default_branch: 'forgotten/main',
    stargazers_count: repository.stargazers_count,
  })
  expect(Object.keys(redacted)).toEqual(Object.keys(repository))
  expect(redacted.dependencies?.[0]).toMatchObject({
    url: redacted.url,
    dependency: { dependency_name: 'forge.example/ada-l/tool' }, // that is another package
  })
})

test('a repository that stays has no homepage with an address of the person', () => {
  const repository = createRepository(1, 'Ada-L', [], {
    homepage: 'https://mail.example/?to=ada@example.com',
  })
  expect(redactRepository(repository, 'forgotten.3', isForgotten).homepage).toBeNull()
})

test.each([
  ['https://forge.example/Ada-L/x', 'https://forge.example/new/x'],
  ['https://forge.example/git/ada%2Dl/x/?tab=1', 'https://forge.example/git/new/x/?tab=1'],
  ['https://forge.example/bob/ada-l', undefined],
  ['https://ada-l.example', undefined],
])('the owner of %s is the part of its path before the name', (url, expected) => {
  const login = findOwnerInUrl(url, isForgotten)
  expect(login === undefined ? undefined : replaceOwnerInUrl(url, login, 'new')).toBe(expected)
})
