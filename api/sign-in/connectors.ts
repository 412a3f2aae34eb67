/**
 * Connectors, which OAuth calls clients: those that registered themselves (RFC 7591), and those whose `client_id` is
 * the URL of a document.
 */
import { LRUCache } from 'lru-cache'
import * as v from 'valibot'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { MissLimit } from '../concurrency/miss-limit.ts'
import type { Sql } from '../database/connect.ts'
import { countStatement } from '../database/statement-count.ts'
import { DocumentError, isDocumentUrl, readClientDocument } from './client-document.ts'
import { SignInProblem } from './problem.ts'
import { isAllowedRedirect } from './redirect-uri.ts'

export interface Connector {
  id: string
  /** What it calls itself. */
  name: string
  redirectUris: readonly string[]
}

/**
 * Registrations that are kept: the newest of those that nobody has used, and as many that somebody has. Each instance
 * may have stored a round more.
 */
const maxConnectors = 10_000
/** Registrations between two that look for those to delete. */
const pruneRound = 100
const maxRedirectUris = 10
const maxNameLength = 80

/**
 * Anybody may register, so an instance takes only 20 registrations a second. If somebody sends that many all the time, the
 * newest 10,000 are those of 8 minutes: as long as others then have for the page.
 */
const registrationLimits = { maxConcurrent: 2, maxQueued: 100, maxWaitMs: 2_000 }
const registrationMs = 100

/**
 * A few documents are fetched at a time, and at most half of these are of one domain, because its owner can invent any
 * number of hosts. Hosts of strangers may share what counts as their domain, such as co.uk.
 */
const documentLimits = { maxConcurrent: 8, maxConcurrentOfCaller: 4, maxQueued: 100, maxWaitMs: 6_000 }
const documentCacheMs = 600_000
/** How long a document that can't be used isn't fetched again. */
const failureCacheMs = 30_000
/** How long a fetch that failed keeps its place. */
const failureMs = 500
/** How long a registration that was read isn't read again. */
const registeredCacheMs = 60_000

const redirectRule =
  'redirect_uris must have an https URL, or an http URL of this machine such as http://127.0.0.1/callback'

/** What a connector says about itself. Its other members don't matter: each connector is a public client with PKCE. */
const metadata = v.object({
  client_id: v.nullish(v.string('client_id must be a string')),
  client_name: v.nullish(v.string('client_name must be a string')),
  redirect_uris: v.pipe(
    v.array(v.string(redirectRule), redirectRule),
    v.maxLength(100, 'redirect_uris must have at most 100 URLs'),
  ),
})

/** Reads what a connector says about itself. URIs that may not be used are left out. Throws `SignInProblem`. */
export function readMetadata(value: unknown): Omit<Connector, 'id'> & { id: string | undefined } {
  const { success, output, issues } = v.safeParse(metadata, value)
  if (!success) {
    const isRedirect = issues[0].path?.[0].key === 'redirect_uris'
    throw new SignInProblem(
      isRedirect && issues[0].kind === 'schema' ? redirectRule : issues[0].message,
      isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    )
  }
  const redirectUris = output.redirect_uris.filter(isAllowedRedirect).slice(0, maxRedirectUris)
  if (redirectUris.length === 0) throw new SignInProblem(redirectRule, 'invalid_redirect_uri')
  return { id: output.client_id ?? undefined, name: readName(output.client_name, redirectUris), redirectUris }
}

/** A name is one short line, without characters that change how the line is read. */
function readName(given: string | null | undefined, [uri = '']: readonly string[]): string {
  const name = (given ?? '').replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return name === '' ? new URL(uri).hostname : [...name].slice(0, maxNameLength).join('')
}

/** Creates the function that finds connectors by the URLs of their documents. */
function createDocumentFinder(readDocument: (url: URL) => Promise<string>) {
  const fetches = createFairQueue<string>(documentLimits)
  /** The connectors, or what is wrong with their documents. */
  const documents = new LRUCache<string, Connector | string>({ max: 500 })
  const running = new Map<string, Promise<Connector | string>>()

  async function read(id: string): Promise<Connector | string> {
    try {
      const document = readMetadata(JSON.parse(await readDocument(new URL(id))))
      return document.id === id ? { ...document, id } : 'its client_id must be its own URL'
    } catch (error) {
      if (error instanceof SyntaxError) return 'it is not JSON'
      if (error instanceof DocumentError) return error.message
      if (error instanceof SignInProblem) return `its ${error.message}`
      throw error
    }
  }

  async function readInTurn(id: string): Promise<Connector | string> {
    const domain = new URL(id).hostname.split('.').slice(-2).join('.')
    const leave = await fetches.enter(domain)
    let keptMs = failureMs
    try {
      const connector = await read(id)
      const isFailure = typeof connector === 'string'
      if (!isFailure) keptMs = 0
      documents.set(id, connector, { ttl: isFailure ? failureCacheMs : documentCacheMs })
      return connector
    } finally {
      setTimeout(leave, keptMs)
    }
  }

  /** Requests for one document wait for it together, as long as the first one may. */
  function readOnce(id: string): Promise<Connector | string> {
    const reading = running.get(id) ?? readInTurn(id).finally(() => running.delete(id))
    running.set(id, reading)
    return reading
  }

  return async function findByDocument(id: string): Promise<Connector> {
    const connector = documents.get(id) ?? (await readOnce(id))
    if (typeof connector !== 'string') return connector
    throw new SignInProblem(`Invalid client_id: the document at this URL can't be used, because ${connector}`)
  }
}

/** Creates the function that makes room for a registration. */
function createPruner(sql: Sql) {
  /** Registrations that may be stored before the next look. */
  let room = 0

  return async function prune(): Promise<void> {
    if (room === 0) {
      await countStatement(
        sql,
        () => sql`
          delete from connectors where
            id in (select id from connectors where used_at is null order by created_at desc offset ${maxConnectors})
            or id in (select id from connectors where used_at is not null order by used_at desc offset ${maxConnectors})
            or coalesce(used_at, created_at) < now() - case when used_at is null then interval '1 day' else interval '1 year' end`,
      )
      room = pruneRound
    }
    room--
  }
}

/** Creates what an instance knows of connectors. */
export function createConnectors(
  sql: Sql,
  limitMisses: MissLimit,
  readDocument: (url: URL) => Promise<string> = readClientDocument,
) {
  const registrations = createFairQueue<'anybody'>(registrationLimits)
  const prune = createPruner(sql)
  const findByDocument = createDocumentFinder(readDocument)
  const registered = new LRUCache<string, Connector>({ max: 500, ttl: registeredCacheMs })

  async function readRegistered(id: string): Promise<Connector | undefined> {
    const [row] = await countStatement(
      sql,
      () => sql<{ name: string; uris: string[] }[]>`
        select name, to_json(redirect_uris) as uris from connectors where id = ${id}::uuid`,
    )
    if (row === undefined) return undefined
    const connector = { id, name: row.name, redirectUris: row.uris }
    registered.set(id, connector)
    return connector
  }

  async function findRegistered(id: string): Promise<Connector | undefined> {
    if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)) return undefined
    return registered.get(id) ?? (await limitMisses(id, () => readRegistered(id)))
  }

  return {
    /** Finds a connector. Throws `SignInProblem` if there is none, or if its document can't be used. */
    async find(id: string): Promise<Connector> {
      if (isDocumentUrl(id)) return findByDocument(id)
      const connector = await findRegistered(id)
      if (connector === undefined) {
        throw new SignInProblem(
          'Invalid client_id: this service doesn’t know the assistant. Remove the connection in your assistant, and add it again.',
        )
      }
      return connector
    },

    /** Registers a connector, and returns its id. Throws 503 if there are too many registrations. */
    async register({ name, redirectUris }: Omit<Connector, 'id'>): Promise<string> {
      const leave = await registrations.enter('anybody')
      setTimeout(leave, registrationMs)
      await prune()
      const [row] = await countStatement(
        sql,
        () => sql<{ id: string }[]>`
          insert into connectors (name, redirect_uris)
          values (${name}, ${sql.typed.texts(redirectUris)}) returning id::text`,
      )
      if (row === undefined) throw new Error('the registration was not stored')
      return row.id
    },

    /** Notes that somebody has connected it. */
    async noteUse({ id }: Connector): Promise<void> {
      if (isDocumentUrl(id)) return
      await countStatement(sql, () => sql`update connectors set used_at = now() where id = ${id}::uuid`)
    },
  }
}

export type Connectors = ReturnType<typeof createConnectors>
