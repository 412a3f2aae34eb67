/** Connectors: those that registered themselves (RFC 7591), and those whose `client_id` is the URL of a document. */
import { LRUCache } from 'lru-cache'
import * as v from 'valibot'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { DocumentError, isDocumentUrl, readClientDocument } from './client-document.ts'
import { SignInProblem } from './problem.ts'
import { isAllowedRedirect } from './redirect-uri.ts'

/** A connector. */
export interface Client {
  id: string
  /** What it calls itself. */
  name: string
  redirectUris: readonly string[]
}

/** Registrations that are kept: those that somebody has used, then the newest. */
const maxClients = 10_000
const maxRedirectUris = 10
const maxNameLength = 80

/** Anybody may register, so a registration keeps its place for a while: an instance takes 20 a second. */
const registrationLimits = { maxConcurrent: 2, maxQueued: 100, maxWaitMs: 2_000 }
const registrationMs = 100

/** Documents are fetched a few at a time, one of each host. */
const documentLimits = { maxConcurrent: 8, maxConcurrentOfCaller: 1, maxQueued: 100, maxWaitMs: 6_000 }
const documentCacheMs = 600_000
/** How long a document that can't be used isn't fetched again. */
const failureCacheMs = 30_000

/** What a connector says about itself. Its other members don't matter: each connector is a public client with PKCE. */
const metadata = v.object({
  client_id: v.optional(v.string()),
  client_name: v.optional(v.string()),
  redirect_uris: v.pipe(v.array(v.string()), v.maxLength(100)),
})

/** Reads what a connector says about itself. Undefined: it names no URI that may be used. Other URIs are left out. */
export function readMetadata(value: unknown): (Omit<Client, 'id'> & { id: string | undefined }) | undefined {
  const { success, output } = v.safeParse(metadata, value)
  if (!success) return undefined
  const redirectUris = output.redirect_uris.filter(isAllowedRedirect).slice(0, maxRedirectUris)
  if (redirectUris.length === 0) return undefined
  return { id: output.client_id, name: readName(output.client_name, redirectUris), redirectUris }
}

/** A name is one short line, without characters that change how the line is read. */
function readName(given: string | undefined, [uri = '']: readonly string[]): string {
  const name = (given ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return name === '' ? new URL(uri).hostname : [...name].slice(0, maxNameLength).join('')
}

/** Creates the function that finds connectors by the URLs of their documents. */
function createDocumentFinder(readDocument: (url: URL) => Promise<string>) {
  const fetches = createFairQueue<string>(documentLimits)
  /** The connectors, or what is wrong with their documents. */
  const documents = new LRUCache<string, Client | string>({ max: 500 })

  async function read(id: string): Promise<Client | string> {
    try {
      const document = readMetadata(JSON.parse(await readDocument(new URL(id))))
      if (document === undefined)
        return 'it must have redirect_uris that are https URLs or those of this machine'
      return document.id === id ? { ...document, id } : 'its client_id must be its own URL'
    } catch (error) {
      if (error instanceof SyntaxError) return 'it is not JSON'
      if (error instanceof DocumentError) return error.message
      throw error
    }
  }

  return async function findByDocument(id: string): Promise<Client> {
    const leave = await fetches.enter(new URL(id).hostname)
    try {
      const client = documents.get(id) ?? (await read(id))
      const isFailure = typeof client === 'string'
      if (!documents.has(id)) {
        documents.set(id, client, { ttl: isFailure ? failureCacheMs : documentCacheMs })
      }
      if (!isFailure) return client
      throw new SignInProblem(`Invalid client_id: the document at this URL can't be used, because ${client}`)
    } finally {
      leave()
    }
  }
}

/** Creates what an instance knows of connectors. */
export function createClients(sql: Sql, readDocument: (url: URL) => Promise<string> = readClientDocument) {
  const registrations = createFairQueue<'anybody'>(registrationLimits)
  const findByDocument = createDocumentFinder(readDocument)

  async function findRegistered(id: string): Promise<Client | undefined> {
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) return undefined
    const [row] = await countStatement(
      sql,
      () => sql<{ name: string; uris: string[] }[]>`
        select name, to_json(redirect_uris) as uris from sign_in_clients where id = ${id}::uuid`,
    )
    return row && { id, name: row.name, redirectUris: row.uris }
  }

  return {
    /** Finds a connector. Throws `SignInProblem` if there is none, or if its document can't be used. */
    async find(id: string): Promise<Client> {
      if (isDocumentUrl(id)) return findByDocument(id)
      const client = await findRegistered(id)
      if (client === undefined) {
        throw new SignInProblem(
          'Invalid client_id: this service doesn’t know the assistant. Remove the connection in your assistant, and add it again.',
        )
      }
      return client
    },

    /** Registers a connector, and returns its id. Throws 503 if there are too many registrations. */
    async register({ name, redirectUris }: Omit<Client, 'id'>): Promise<string> {
      const leave = await registrations.enter('anybody')
      setTimeout(leave, registrationMs)
      const [row] = await countStatement(
        sql,
        () => sql<{ id: string }[]>`
          with old as (
            delete from sign_in_clients where id in (
              select id from sign_in_clients order by used_at desc nulls last, created_at desc offset ${maxClients - 1}
            ) or coalesce(used_at, created_at) < now() - case when used_at is null then interval '1 day' else interval '1 year' end
          )
          insert into sign_in_clients (name, redirect_uris)
          values (${name}, ${sql.typed.texts(redirectUris)}) returning id::text`,
      )
      if (row === undefined) throw new Error('the registration was not stored')
      return row.id
    },

    /** Notes that somebody has connected it. */
    async noteUse({ id }: Client): Promise<void> {
      if (isDocumentUrl(id)) return
      await countStatement(sql, () => sql`update sign_in_clients set used_at = now() where id = ${id}::uuid`)
    },
  }
}

export type Clients = ReturnType<typeof createClients>
