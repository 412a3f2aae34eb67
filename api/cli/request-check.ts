/**
 * Requests as a client would send them, through the public address.
 *
 * @module
 */
import * as v from 'valibot'
import { readVersion } from '../build-info.ts'
import type { Config } from '../config.ts'
import { describeFailure } from '../database/connection-error.ts'
import { localOrigin } from '../service/local-url.ts'
import { type Finding, ok, skipped, wrong } from './checkup.ts'

/** What is known of the instance that should answer. */
export interface ExpectedInstance {
  config: Config
  /** An API key; undefined: what needs none is asked for alone. It shows up in no finding. */
  key: string | undefined
  /** Version of the data in the database; undefined when it is not known. */
  datasetVersion: number | undefined
}

/** How long an answer may take, in milliseconds. */
const patience = 10_000

const versionSchema = v.looseObject({
  version: v.string(),
  dataset: v.nullable(v.looseObject({ version: v.number() })),
})
const errorSchema = v.object({ error: v.string() })

/** Sends requests to `BASE_URL`, or without it to where a service of these settings would listen. Costs no credits. */
export async function checkRequests(expected: ExpectedInstance): Promise<Finding[]> {
  const { config, key } = expected
  const root = config.baseUrl ?? localOrigin(config)
  const reached = await checkAnswer(root, expected)
  if (reached.state !== 'ok') return [reached]
  if (key === undefined) {
    return [
      reached,
      skipped(
        'request',
        'give a key to have a whole one sent: --key KEY, or --key - to have it read from standard input',
      ),
    ]
  }
  return [reached, await checkKey(root, key)]
}

/** Does an instance of this version answer there, with this data? */
async function checkAnswer(root: string, { config, datasetVersion }: ExpectedInstance): Promise<Finding> {
  const subject = 'address'
  let health: Answer
  let version: Answer
  try {
    health = await send(`${root}/health`)
    version = await send(`${root}/version`)
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return config.baseUrl === undefined
      ? skipped(subject, `no service answers at ${root}; start it, or set BASE_URL`)
      : wrong(
          subject,
          `${root} does not answer: ${error.message}; see that the service runs, and its name, proxy and certificate`,
        )
  }
  const said = v.safeParse(versionSchema, version.body)
  if (version.status !== 200 || !said.success) {
    return wrong(
      subject,
      `${root}/version is not answered by devdata (status ${version.status}); see BASE_URL and the proxy's paths`,
    )
  }
  if (health.status !== 200)
    return wrong(subject, `${root}/health is ${health.status}: ${describeError(health)}`)
  const { version: running, dataset } = said.output
  if (running !== readVersion()) {
    return wrong(
      subject,
      `${root} runs version ${running}, and this is ${readVersion()}; restart what is old`,
    )
  }
  if (datasetVersion !== undefined && dataset !== null && dataset.version < datasetVersion) {
    return wrong(
      subject,
      `${root} has version ${dataset.version} of the data, and the database ${datasetVersion}; it may run on another database`,
    )
  }
  return ok(subject, `${root} answers, healthy, version ${running}`)
}

/** Authentication, permission, reading, the ledger, and the links in the answer: all that a client's request meets. */
async function checkKey(root: string, key: string): Promise<Finding> {
  const subject = 'request'
  const headers = { Authorization: `Bearer ${key}` }
  try {
    const credits = await send(`${root}/api-key/credits`, { headers })
    if (credits.status !== 200) {
      return wrong(subject, `GET /api-key/credits is ${credits.status}: ${describeError(credits)}`)
    }
    // A HEAD does what a GET does, and costs nothing.
    const users = await send(`${root}/users?per_page=1`, { method: 'HEAD', headers })
    if (users.status !== 200)
      return wrong(subject, `HEAD /users is ${users.status}; try the GET with this key`)
    const link = users.headers.get('Link') ?? ''
    if (!link.startsWith(`<${root}/users?`)) {
      return wrong(
        subject,
        `the Link header does not lead to ${root}/users; set BASE_URL, and let the proxy pass Link on`,
      )
    }
    const total = users.headers.get('X-Total-Count')
    return ok(
      subject,
      `GET /api-key/credits and HEAD /users answered, ${total} users, in ${Math.round(credits.milliseconds + users.milliseconds)} ms`,
    )
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return wrong(subject, `no answer: ${error.message}`)
  }
}

/** No answer came. */
class UnreachableError extends Error {
  override name = 'UnreachableError'
}

interface Answer {
  status: number
  headers: Headers
  /** The body as JSON; undefined when it is none. */
  body: unknown
  milliseconds: number
}

async function send(url: string, options: RequestInit = {}): Promise<Answer> {
  const started = performance.now()
  try {
    const response = await fetch(url, {
      ...options,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
    })
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, body: parse(text), milliseconds: performance.now() - started }
  } catch (error) {
    throw new UnreachableError(explainFetch(error))
  }
}

/** `fetch` says nothing but that it failed; its cause says why. */
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

function describeError({ body }: Answer): string {
  const said = v.safeParse(errorSchema, body)
  return said.success ? said.output.error : 'its body is not an error of devdata'
}
