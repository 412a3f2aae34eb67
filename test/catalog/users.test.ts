/** @module-tag over-the-wire */
import { expect, test } from 'vitest'
import { describeOnOneDatabase, useService } from '../support/service.ts'

describeOnOneDatabase('GET /users/{login}', (kind) => {
  const service = useService(kind)

  test('returns a User object, and charges 1 credit', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const response = await service.request('/users/ngoldberg', { key: secret })
    expect(response.status).toBe(200)
    expect(response.json()).toMatchObject({
      login: 'ngoldberg',
      name: 'Noor Goldberg',
      location: 'Berlin, Germany',
    })
    expect(response.headers.get('X-Credits-Cost')).toBe('1')
    expect(response.headers.get('X-Credits-Remaining')).toBe('9')
    expect(await service.readLedger(id)).toEqual({ balance: 9, granted: 10, charged: 1 })
  })

  test('finds a login case-insensitively', async () => {
    const { secret } = await service.createKey()
    const response = await service.request('/users/NGoldBerg', { key: secret })
    expect(response.json()).toMatchObject({ login: 'ngoldberg' })
  })

  test('charges 1 credit for an unknown login', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    const response = await service.request('/users/nobody-has-this-login', { key: secret })
    expect(response.status).toBe(404)
    expect(response.json()).toEqual({ error: 'User not found' })
    expect(await service.readLedger(id)).toEqual({ balance: 9, granted: 10, charged: 1 })
  })

  test('is 403 for an unknown login at balance 0', async () => {
    const { secret, id } = await service.createKey({ credits: 0 })
    const response = await service.request('/users/nobody-has-this-login', { key: secret })
    expect(response.status).toBe(403)
    expect(response.json()).toEqual({ error: 'insufficient credits: need 1, have 0' })
    expect(await service.readLedger(id)).toEqual({ balance: 0, granted: 0, charged: 0 })
  })

  test('is 400 and free for a login that no account could have', async () => {
    const { secret, id } = await service.createKey({ credits: 10 })
    for (const [path, error] of [
      ['/users/', 'Login is missing'],
      ['/users/a%20b', 'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      [
        '/users/%E6%9D%B1',
        'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      ['/users/a%2Fb', 'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'],
      [
        `/users/${'a'.repeat(101)}`,
        'Invalid login: must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..',
      ],
      ['/users/%', 'Invalid URL: malformed percent-encoding'],
      ['/users/%zz', 'Invalid URL: malformed percent-encoding'],
      ['/users/%ff', 'Invalid URL: malformed percent-encoding'],
      ['/users/a%00', 'Invalid URL: NUL character'],
    ] as const) {
      const response = await service.request(path, { key: secret })
      expect([path, response.status, response.json()]).toEqual([path, 400, { error }])
      expect(response.headers.get('X-Credits-Cost')).toBe('0')
    }
    expect(await service.readLedger(id)).toEqual({ balance: 10, granted: 10, charged: 0 })
  })
})
