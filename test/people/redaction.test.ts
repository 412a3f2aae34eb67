/** What is taken out of commits that name forgotten people, and what stays. */
import fc from 'fast-check'
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
  return redactCommit(commit, 'forge.example', isForgotten).message
}

const keep = (text: string) => ({ text, expected: text })

/** Pieces of messages that look like what names somebody. */
const hostile = ['a-by:\n ', '[a/', '//a', 'a/b#', 'forge.example/', 'Merge from ', '> ', '\n', ' a-by: b\n']

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
    expect(redactCommit(commit, 'forge.example', isForgotten)).toEqual({
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
    expect(redactCommit(commit, 'forge.example', isForgotten)).toBe(commit)
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
    ['Fix it\n\nCo-authored-by: Ada L\n <ada@example.com>', 'Fix it'],
    ['Fix it\r\n\r\nSigned-off-by:\r\n\tAda L\r\n\t<ada@example.com>\r\n', 'Fix it'],
    ['* Fix it\n\n* Reviewed-by: Ada L\n  <ada@example.com>\n* Done', '* Fix it\n\n* Done'],
    ['Fix it\n\n> Acked-by: Ada L\n>   ada@example.com\n> Yes', 'Fix it\n\n> Yes'],
    ['Co-authored-by: Ada L\n <ada@example.com>\n <bob@example.com>', ' <bob@example.com>'],
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
    ['* Merge pull request #7 from ada-l/fix', '* Merge pull request #7 from forgotten/fix'],
    ['Revert "Merge pull request #7 from ada-l/fix"', 'Revert "Merge pull request #7 from forgotten/fix"'],
    ['Auto merge of #7 - ada-l:fix, r=Ada-L', 'Auto merge of #7 - forgotten:fix, r=forgotten'],
    ["Merge branch 'x' of forge.example:ada-l/x", "Merge branch 'x' of forge.example:forgotten/x"],
    [
      'See ada-l/x#7, ada-l/x!8 and ada-l/x@0123abc',
      'See forgotten/x#7, forgotten/x!8 and forgotten/x@0123abc',
    ],
    ['Fix it\n\nCc: Ada-L <other@example.com>', 'Fix it\n\nCc: forgotten <other@example.com>'],
    [
      'Fix it\n\nNote: the mail of Bob to <ada@example.com> bounced twice',
      `Fix it\n\nNote: the mail of Bob to <${forgottenAddress}> bounced twice`,
    ],
    ['Note: Ada <ada@example.com>', `Note: Ada <${forgottenAddress}>`],
    ['Fix it\nhttps://x.example/ <ada@example.com>', `Fix it\nhttps://x.example/ <${forgottenAddress}>`],
    ['[ada-l/x](https://forge.example/Ada-L/x)', '[forgotten/x](https://forge.example/forgotten/x)'],
    ['By [ada-l](https://github.com/ada-l)', 'By [forgotten](https://github.com/forgotten)'],
    ['https://ada-l@forge.example/acme/x.git', 'https://forgotten@forge.example/acme/x.git'],
    ['ssh://git@forge.example:22/ada-l/x', 'ssh://git@forge.example:22/forgotten/x'],
    ['https://api.github.com/users/Ada-L/repos', 'https://api.github.com/users/forgotten/repos'],
    [
      'Thanks _@ada-l_, **@ada-l**, `@ada-l` and 感谢@ada-l。',
      'Thanks _forgotten_, **forgotten**, `forgotten` and 感谢forgotten。',
    ],
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
    'Fix it\n\nSee: https://forge.example/x by <bob@example.com>',
    'Fix it\n\nCc: Ada-L-B <other@example.com>',
    'Fix it\n\nSigned-off-by: Bob <bob@example.com>\n ada-l helped',
    'Move ada-l/unit/a.js to lib/ada-l/a.js, ada-l.js or ./ada-l/',
    'ada-l: a word, `ada-l/x`, "ada-l" and https://docs.example/ada-l/x',
    'Update @ada-l/tool and @ada-l.example',
    "Merge branch 'ada-l/fix' into main",
    'Merge changes from ada-l/fix',
    'https://notforge.example/ada-l https://forge.example.org/ada-l',
    `By ${forgottenAddress}`,
    'Ends with a line\n',
  ])('keeps what names others: %j', (message) => {
    expect(redactMessage(message)).toBe(message)
  })

  const forms = [
    '`ADDRESS`',
    "'ADDRESS'",
    '*ADDRESS*',
    '_ADDRESS_',
    '__ADDRESS__',
    '{ADDRESS}',
    '|ADDRESS|',
    '/ADDRESS/',
    '#ADDRESS',
    '!ADDRESS!',
    '~ADDRESS~',
    '$ADDRESS',
    '^ADDRESS^',
    '%ADDRESS%',
    '&ADDRESS&',
    '=ADDRESS=',
    '+ADDRESS+',
    '?ADDRESS?',
    '...ADDRESS...',
    '(ADDRESS)',
    '[ADDRESS]',
    '"ADDRESS"',
    '\\ADDRESS\\',
    "ADDRESS's",
    "git config user.email 'ADDRESS'",
    "--author='Ada <ADDRESS>'",
    "email='ADDRESS';",
    '連絡はADDRESSへ',
    '请发ADDRESS。',
  ]
  test.each(
    forms.flatMap((form) =>
      ['Ada@example.com', '12+ada-l@users.noreply.forge.example', '1001+x@users.noreply.forge.example'].map(
        (address) => [form.replace('ADDRESS', address), form.replace('ADDRESS', forgottenAddress)],
      ),
    ),
  )('has no address of the person, whatever stands around it: %s', (message, expected) => {
    expect(redactMessage(message)).toBe(expected)
    expect(redactMessage(`Fix it\n\n${message} and Bob`)).toBe(`Fix it\n\n${expected} and Bob`)
  })

  test.each([
    'nada@example.com',
    "o'ada@example.com",
    'r&ada@example.com',
    'new.ada@example.com',
    'new_ada@example.com',
    'new%ada@example.com',
    'éada@example.com',
    'ada@example.com.org',
    'ada@example.com-x',
    'ada@example.com_x.org',
    'ada@example.comé',
    '12+new-ada-l@users.noreply.forge.example',
  ])("keeps an address that has the person's in it: %s", (address) => {
    for (const form of forms) {
      const message = form.replace('ADDRESS', address)
      expect(redactMessage(message)).toBe(message)
    }
  })

  test('loses what names the person and keeps the rest, in random messages', () => {
    const around = fc.constantFrom(...forms)
    const own = fc.constantFrom('ada@example.com', 'ADA@EXAMPLE.COM', '1001+z@users.noreply.forge.example')
    const other = fc.constantFrom(
      'bob@example.com',
      "o'ada@example.com",
      'ada@example.com.org',
      'xada@example.com',
    )
    const word = fc.constantFrom(
      'ada-l/unit/a.js',
      'lib/ada-l',
      'ada-l',
      '@types/ada-l',
      "it's",
      '—',
      '(see',
      '#12',
    )
    const part = fc.oneof(
      fc.record({ form: around, address: own }).map(({ form, address }) => ({
        text: form.replace('ADDRESS', address),
        expected: form.replace('ADDRESS', forgottenAddress),
      })),
      fc
        .record({ form: around, address: other })
        .map(({ form, address }) => form.replace('ADDRESS', address))
        .map(keep),
      word.map(keep),
      fc.constantFrom('@ada-l', '@Ada-L').map((text) => ({ text, expected: 'forgotten' })),
    )
    const separator = fc.constantFrom(' ', ' ', ', ', '\n', '\n\n', ' — ')
    fc.assert(
      fc.property(fc.array(fc.tuple(part, separator), { minLength: 1, maxLength: 12 }), (parts) => {
        const join = (kind: 'text' | 'expected') => parts.map(([each, end]) => each[kind] + end).join('')
        const redacted = redactMessage(join('text'))
        expect(redacted).toBe(join('expected'))
        expect(redactMessage(redacted)).toBe(redacted)
      }),
      { numRuns: 1_000 },
    )
  })

  test('is redacted in linear time, whatever the message', () => {
    for (const piece of [
      'a',
      'a.',
      '<@',
      '@',
      '@.',
      '-',
      'a/',
      '[.',
      ' a-by:',
      '>*',
      'a@',
      '=a@b ',
      "'",
      "'a",
      '_@',
      '漢a@',
      ...hostile,
    ]) {
      const message = piece.repeat(200_000)
      expect(redactMessage(message)).toBe(message)
    }
    const spaced = `Fix it\n\nNote: a${' '.repeat(200_000)}b:`
    expect(redactMessage(spaced)).toBe(spaced)
  })
})

test('a given name in a trailer is not a login, and the address says who it is', () => {
  const message = 'Fix it\n\nSigned-off-by: John <john@example.org>\nCc: john <john@example.org>'
  const commit = { ...createCommit(1, 'https://forge.example/o/r', 'bob@example.com', 0), message }
  const redacted = redactCommit(commit, 'forge.example', (identity) => identity === identifyLogin('john'))
  expect(redacted.message).toBe(message.replace('Cc: john', 'Cc: forgotten'))
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
