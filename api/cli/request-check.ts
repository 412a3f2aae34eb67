/**
 * Sends requests as a client does, to the public URL.
 *
 * @module
 */
import * as v from 'valibot'
import { readVersion } from '../build-info.ts'
import type { Config } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import { localOrigin } from '../service/local-url.ts'
import { type Finding, ok, skipped, wrong } from './doctor-checks.ts'

export interface ExpectedInstance {
  config: Config
  /** An API key, which no finding shows. Undefined: only public endpoints are requested. */
  key: string | undefined
  /** The dataset's version in the database; undefined: unknown. */
  datasetVersion: number | undefined
}

const responseTimeoutMs = 10_000

const versionSchema = v.looseObject({
  version: v.string(),
  dataset: v.nullable(v.looseObject({ version: v.number() })),
})
const errorSchema = v.object({ error: v.string() })

/** Sends requests to `BASE_URL`, or without it to `HOST` and `PORT`. They cost no credits. */
export async function checkRequests(expected: ExpectedInstance): Promise<Finding[]> {
  const { config, key } = expected
  const root = config.baseUrl ?? localOrigin(config)
  const reached = await checkInstance(root, expected)
  if (reached.state !== 'ok') return [reached]
  if (key === undefined) {
    return [
      reached,
      skipped(
        'request',
        'pass a key to send a complete one: --key KEY, or --key - to read it from standard input',
      ),
    ]
  }
  return [reached, await checkKey(root, key)]
}

/** Checks that an instance of this version responds, on the same database. */
async function checkInstance(root: string, { config, datasetVersion }: ExpectedInstance): Promise<Finding> {
  const subject = 'url'
  let health: JsonResponse
  let version: JsonResponse
  try {
    health = await send(`${root}/health`)
    version = await send(`${root}/version`)
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return config.baseUrl === undefined
      ? skipped(subject, `no service responds at ${root}; start it, or set BASE_URL`)
      : wrong(
          subject,
          `${root} is unreachable: ${error.message}; check that the service runs, and its DNS name, proxy and certificate`,
        )
  }
  const parsed = v.safeParse(versionSchema, version.body)
  if (version.status !== 200 || !parsed.success) {
    return wrong(
      subject,
      `${root}/version is not a response of devdata (status ${version.status}); check BASE_URL and the proxy's paths`,
    )
  }
  if (health.status !== 200)
    return wrong(subject, `${root}/health is ${health.status}: ${describeError(health)}`)
  const { version: running, dataset } = parsed.output
  if (running !== readVersion()) {
    return wrong(
      subject,
      `${root} runs version ${running}, and this is ${readVersion()}; restart the older one`,
    )
  }
  if (datasetVersion !== undefined && dataset !== null && dataset.version < datasetVersion) {
    return wrong(
      subject,
      `${root} has version ${dataset.version} of the data, and the database ${datasetVersion}; it may use another database`,
    )
  }
  return ok(subject, `${root} is healthy, version ${running}`)
}

/** Checks everything that a client's request needs: authentication, reading, the ledger, links. */
async function checkKey(root: string, key: string): Promise<Finding> {
  const subject = 'request'
  const headers = { Authorization: `Bearer ${key}` }
  try {
    const credits = await send(`${root}/api-key/credits`, { headers })
    if (credits.status !== 200) {
      return wrong(subject, `GET /api-key/credits is ${credits.status}: ${describeError(credits)}`)
    }
    // HEAD does the same work as GET, free.
    const users = await send(`${root}/users?per_page=1`, { method: 'HEAD', headers })
    if (users.status !== 200) return wrong(subject, `HEAD /users is ${users.status}; try GET with this key`)
    const link = users.headers.get('Link') ?? ''
    if (!link.startsWith(`<${root}/users?`)) {
      return wrong(
        subject,
        `the Link header does not point to ${root}/users; set BASE_URL, and let the proxy pass Link`,
      )
    }
    const total = users.headers.get('X-Total-Count')
    return ok(
      subject,
      `GET /api-key/credits and HEAD /users succeeded, ${total} users, in ${Math.round(credits.durationMs + users.durationMs)} ms`,
    )
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return wrong(subject, `no response: ${error.message}`)
  }
}

/** No response was received. */
class UnreachableError extends Error {
  override name = 'UnreachableError'
}

interface JsonResponse {
  status: number
  headers: Headers
  /** Undefined: the body is not JSON. */
  body: unknown
  durationMs: number
}

async function send(url: string, options: RequestInit = {}): Promise<JsonResponse> {
  const started = performance.now()
  try {
    const response = await fetch(url, {
      ...options,
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, body: parse(text), durationMs: performance.now() - started }
  } catch (error) {
    throw new UnreachableError(explainFetch(error))
  }
}

/** The message of `fetch` says only that it failed; its cause says why. */
function explainFetch(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? describeFailure(error.cause) : error.message
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeError({ body }: JsonResponse): string {
  const parsed = v.safeParse(errorSchema, body)
  return parsed.success ? parsed.output.error : 'its body is not an error of devdata'
}
