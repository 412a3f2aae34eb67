/**
 * What operators and their shops do with keys over HTTP. The service's operator turns it on. It needs an admin key with
 * the scope `keys:write`, which doesn't belong in a page.
 *
 * ```ts
 * const admin = createAdmin({ baseUrl: 'https://api.example.com', apiKey })
 * const made = await admin.keys.create({ reference: 'order 1842', credits: 1_000, notifyBelow: 100 })
 * ```
 */
import type { CreatedKey, Key, KeyChange, KeyGrant, NewGrant, NewKey } from './admin-types.ts'
import type { ClientOptions } from './client.ts'
import { ConnectionError } from './errors.ts'
import { toSnakeCase, writeListUrl } from './filters.ts'
import { createRandomKey } from './idempotency-key.ts'
import { List, type ListOptions } from './list.ts'
import { findItem, type QuoteOptions, writePath } from './one-request.ts'
import { createSender } from './request.ts'

export type * from './admin-types.ts'

/** Which keys a list has. Without members: all. */
export interface KeyFilter {
  /** Only `user` keys with fewer credits. */
  below?: number | undefined
  /** Only keys whose name contains this text, ignoring case. */
  name?: string | undefined
}

/** A rotated key. */
export interface RotatedKey extends CreatedKey {
  secret: string
}

/** Keys. Each method may throw a `DevdataError`, and repeats requests: none creates or grants anything twice. */
export interface Keys {
  /**
   * Creates a `user` key, once under its `reference`. If the response to the first request was lost, or the key was
   * created before, `secret` is null: `rotate` gives another one.
   */
  create(key: NewKey, options?: QuoteOptions): Promise<CreatedKey>
  /** Lists keys, oldest first. */
  list(filter?: KeyFilter, options?: ListOptions): List<Key>
  /** Returns the key with this id; undefined: there is none. */
  get(id: number, options?: QuoteOptions): Promise<Key | undefined>
  /** Changes the members that are given. */
  change(id: number, change: KeyChange, options?: QuoteOptions): Promise<Key>
  /** Adds credits, or withdraws them if the number is negative, once under a `reference`, which belongs to the key. */
  grant(id: number, grant: NewGrant, options?: QuoteOptions): Promise<KeyGrant>
  /**
   * Replaces the secret of a key. The old one works for another `graceSeconds` (0). Whatever is lost or late on the
   * network, the secret that you get works.
   */
  rotate(id: number, options?: QuoteOptions & { graceSeconds?: number | undefined }): Promise<RotatedKey>
  /** Revokes a key from its next request on, until it is restored. */
  revoke(id: number, options?: QuoteOptions): Promise<Key>
  /** Undoes `revoke`. */
  restore(id: number, options?: QuoteOptions): Promise<Key>
}

/** What an admin key with the scope `keys:write` may do. */
export interface Admin {
  keys: Keys
}

/** Rotations under references of their own, until one has a response. */
const maxRotations = 5

/** Creates the part for operators. Throws a `TypeError` if the base URL is not a URL, or the key not a possible key. */
export function createAdmin(options: Omit<ClientOptions, 'cache'>): Admin {
  const send = createSender(options)
  const pathOf = (...parts: (string | number)[]) => writePath('admin', 'keys', ...parts.map(String))
  const write = async <Body>(
    path: string,
    members: object,
    { signal }: QuoteOptions = {},
    method: 'POST' | 'PATCH' = 'POST',
  ) => {
    const body = Object.fromEntries(
      Object.entries(members).map(([member, value]) => [toSnakeCase(member), value]),
    )
    return (await send<Body>({ method, path, body, signal })).body
  }
  return {
    keys: {
      create: async (key, given) => write<CreatedKey>(pathOf(), key, given),
      list: (filter = {}, given) =>
        new List<Key>(send, { urls: [writeListUrl(pathOf(), filter)], keyOf: ({ id }) => id }, given),
      get: async (id, given) => findItem<Key>(send, pathOf(id), 'key_not_found', given),
      change: async (id, change, given) => write<Key>(pathOf(id), change, given, 'PATCH'),
      grant: async (id, grant, given) => write<KeyGrant>(pathOf(id, 'grants'), grant, given),
      async rotate(id, { graceSeconds, ...given } = {}) {
        for (let rotation = 0; rotation < maxRotations; rotation++) {
          // Under a reference, a request that arrives late does nothing. If its response was lost, nobody has the
          // secret.
          const members = { reference: createRandomKey(), graceSeconds }
          const { secret, ...rotated } = await write<CreatedKey>(pathOf(id, 'rotate'), members, given)
          if (secret !== null) return { ...rotated, secret }
        }
        throw new ConnectionError(`The request failed: ${maxRotations} responses with a secret were lost`)
      },
      revoke: async (id, given) => write<Key>(pathOf(id, 'revoke'), {}, given),
      restore: async (id, given) => write<Key>(pathOf(id, 'restore'), {}, given),
    },
  }
}
