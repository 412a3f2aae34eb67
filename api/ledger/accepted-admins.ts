/**
 * The admin keys that the database has accepted within 24 hours, so that `/metrics` works without the database
 * (decisions/0007-operations.md).
 */
import { LRUCache } from 'lru-cache'
import { type ApiKey, type BearerKey, hashSecret } from './api-key.ts'

const maxAgeMs = 24 * 60 * 60 * 1_000
/** A few hundred bytes each. Installations have a few. */
const maxKeys = 1_000

/** The admin keys that were accepted. Only hashes of their secrets are kept. */
export interface AcceptedAdmins {
  /** Notes whether the database has accepted a key. Keys of users are ignored. */
  note(key: BearerKey, isAccepted: boolean): void
  find(secret: string): BearerKey | undefined
}

/** Creates an empty list. */
export function createAcceptedAdmins(): AcceptedAdmins {
  const keys = new LRUCache<string, ApiKey>({ max: maxKeys, ttl: maxAgeMs }) // by hash
  return {
    note({ id, role, scopes, secretHash }, isAccepted) {
      if (role !== 'admin') return
      const hash = secretHash.toString('hex')
      if (isAccepted) keys.set(hash, { id, role, scopes })
      else keys.delete(hash)
    },
    find(secret) {
      const secretHash = hashSecret(secret)
      const key = keys.get(secretHash.toString('hex'))
      return key && { ...key, secret, secretHash }
    },
  }
}
