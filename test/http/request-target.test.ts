/** Invalid hosts and paths, which are refused before anything reads the request's URL. */
import { expect, test } from 'vitest'
import { cutUrl, findRequestError, parseHost, readPath } from '../../api/http/url.ts'

test.each([
  ['localhost', 'localhost'],
  ['API.Example.com:8443', 'api.example.com:8443'],
  ['api-1.example.com.', 'api-1.example.com.'],
  ['dev_data:8000', 'dev_data:8000'],
  ['127.0.0.1:65535', '127.0.0.1:65535'],
  ['[::1]:8000', '[::1]:8000'],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
])('%s is a host', (value, host) => {
  expect(parseHost(value)).toBe(host)
})

test.each([
  ...['', ' ', '1.2.3.256', '127.0..1', '09', 'a.0x', 'a`b`', '$(x)', "a'b", 'a"b', 'a b', 'a, b', 'é'],
  ...[
    'a:',
    'a:0',
    'a:00000',
    'a:65536',
    'a:x',
    'a:80:80',
    '::1',
    '[::1',
    '[::1]:x',
    '[::g]',
    '[v1.a]',
    'a[::1]',
  ],
  ...['a'.repeat(256), `xn--${'a9'.repeat(200)}`, `[${'0:'.repeat(30)}1]`],
  ...['a/b', 'a?b', 'a#b', 'u@a', 'a\\b', '%61', '[fe80::1%25en0]', `${'a'.repeat(300)}\0`],
])('%j is not a host', (value) => {
  expect(parseHost(value)).toBeUndefined()
})

const codeOf = (target: string, { method = 'GET', host = 'localhost' } = {}) =>
  findRequestError({ method, target, host })?.code

test('a . or .. in a path is refused, however it is escaped', () => {
  for (const dots of ['.', '..', '%2e', '%2E', '.%2e', '%2e.', '%2E%2e']) {
    for (const path of ['/users/X', '/repos/X/users', '/repos/a/X/commits', '/X', 'X', '/a\\X\\b']) {
      for (const end of ['', '?a', '#a', '/']) {
        const target = path.replace('X', dots) + end
        expect([target, codeOf(target)]).toEqual([target, 'invalid_url'])
        if (path.startsWith('/')) expect(codeOf(`http://localhost${target}`)).toBe('invalid_url')
      }
    }
  }
  for (const target of [
    '/users/...',
    '/users/.a',
    '/users/a.',
    '/a?b=/../c',
    '/a#/..',
    '/users/%252e%252e',
    '/',
  ]) {
    expect([target, codeOf(target)]).toEqual([target, undefined])
  }
})

test('the host of a whole URL follows the same rule as the Host header', () => {
  expect(codeOf('http://1.2.3.256/users')).toBe('invalid_host')
  expect(codeOf('HTTPS://a`b`/users')).toBe('invalid_host')
  expect(codeOf('http://user@localhost/users')).toBe('invalid_host')
  expect(codeOf('http://localhost:8000/users')).toBeUndefined()
  expect(codeOf('/users', { host: 'a,a' })).toBe('invalid_host')
})

test('a URL of a scheme other than http and https is refused', () => {
  for (const scheme of ['ftp', 'WS', 'h+t.t-p', 'httpx']) {
    expect([scheme, codeOf(`${scheme}://localhost/users`)]).toEqual([scheme, 'invalid_request'])
  }
  for (const target of ['https://localhost/users', 'HTTP://localhost/users', '/a://b', '//a/b']) {
    expect([target, codeOf(target)]).toEqual([target, undefined])
  }
})

test('an asterisk in place of a path is refused with 405', () => {
  expect(codeOf('*', { method: 'OPTIONS' })).toBe('method_not_allowed')
  expect(codeOf('http://localhost/*', { method: 'OPTIONS' })).toBe('method_not_allowed') // as Deno writes it
  expect(codeOf('/users', { method: 'OPTIONS' })).toBeUndefined()
})

test('routes match the decoded path, in which a percent sign stays escaped', () => {
  for (const [target, path] of [
    ['/users', '/users'],
    ['/users?a=/b#c', '/users'],
    ['/users#c?a', '/users'],
    ['/%75sers/zo%C3%AB', '/users/zo\u00eb'],
    ['/users/a%2Fb%3Fc', '/users/a%2Fb%3Fc'],
    ['/users/100%25', '/users/100%25'],
    ['/users/%2525', '/users/%2525'],
    ['', ''],
    ['/', '/'],
    // Refused later.
    ['/%75sers/%ff', '/%75sers/%ff'],
    ['/users/%', '/users/%'],
  ] as const) {
    for (const origin of ['http://localhost', 'https://[::1]:8000', 'http://a.example:81']) {
      expect([target, readPath({ url: origin + target })]).toEqual([target, path])
    }
  }
})

test('a URL that is too long stays so when it is cut, and another one is not cut', () => {
  for (const length of [1, 32_768, 32_769]) expect(cutUrl('x'.repeat(length))).toHaveLength(length)
  expect(cutUrl('x'.repeat(240_000))).toHaveLength(32_769)
})
