/**
 * The samples of the portal are run as a reader would run them: taken to the letter from the pages that a server with
 * the sample data sends, against that server. What a page shows as the response is what came back.
 *
 * `docs-site/src/responses` has the recorded responses. Missing ones are written before the pages are built (not in
 * CI); `npx vitest run test/portal/samples.test.ts -u` writes all of them anew.
 *
 * @module-tag later
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, parse } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import type { Nodes } from 'hast'
import { fromHtml } from 'hast-util-from-html'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { grantCredits } from '../../api/ledger/keys.ts'
import { docsDirectory, findDocs } from '../../api/portal/docs-manifest.ts'
import { demoCredits } from '../../api/runtime/trial.ts'
import { buildDocs } from '../../docs-site/build.ts'
import { findRequest, requests, type SampleRequest } from '../../docs-site/requests.ts'
import { languages, settleBody, writeResponse } from '../../docs-site/samples.ts'
import {
  type Person,
  type RecordedSentences,
  recordedPackages,
  recordedPlaces,
  verbs,
  writeSentencePath,
} from '../../docs-site/src/scripts/sentence-query.ts'
import { contract } from '../support/contract.ts'
import { listElements, readText } from '../support/html.ts'
import { createInstance } from '../support/instance.ts'
import { startTestService, type TestService } from '../support/service.ts'
import type { SnapshotUpdate } from '../support/snapshots.ts'

const responsesDirectory = join(import.meta.dirname, '../../docs-site/src/responses')
const samplesDirectory = join(import.meta.dirname, '../../docs-site/src/samples')
/** What each key of a sample has: as much as the one that a reader is given. */
const credits = demoCredits

/** A sample as it stands on a built page. */
interface PageSample {
  /** File of the page, below the docs. */
  page: string
  /** A request of `requests.ts`, or a program of `src/samples`. */
  kind: 'request' | 'program'
  name: string
  label: string
  code: string
  /** The response that the page shows, if it shows one. */
  response: string | undefined
}

/** The text of a code block, as it is copied. */
function readCode(node: Nodes): string {
  const lines = listElements(node, ({ properties }) => String(properties.className).includes('ec-line'))
  return lines.map((line) => readText(line).replace(/\n$/, '')).join('\n')
}

/** Every sample of a built page. */
function readSamples(page: string, html: string): PageSample[] {
  const samples = listElements(
    fromHtml(html),
    ({ properties }) => properties.className?.toString() === 'sample',
  )
  return samples.flatMap((sample) => {
    const { dataRequest, dataProgram } = sample.properties
    const tabs = listElements(sample, ({ properties }) => properties.role === 'tab')
    const panels = listElements(sample, ({ properties }) => properties.role === 'tabpanel')
    const [block] = sample.children.filter(
      (child) => child.type === 'element' && String(child.properties.className).includes('expressive-code'),
    )
    const response = block && readCode(block)
    return panels.map((panel, index) => ({
      page,
      kind: dataRequest === undefined ? ('program' as const) : ('request' as const),
      name: String(dataRequest ?? dataProgram),
      label: tabs[index] ? readText(tabs[index]).trim() : '',
      code: readCode(panel),
      response,
    }))
  })
}

/** How a file of each language is run; the first line that a missing program leaves says why it is not. */
const runners: Record<string, { file: string; command: string[]; check: [string, ...string[]] }> = {
  curl: { file: 'sample.sh', command: ['bash', '-eu', 'sample.sh'], check: ['curl', '--version'] },
  JavaScript: {
    file: 'sample.mjs',
    command: [process.execPath, 'sample.mjs'],
    check: [process.execPath, '--version'],
  },
  Python: {
    file: 'sample.py',
    command: ['python3', 'sample.py'],
    check: ['python3', '-c', 'import requests'],
  },
  Go: { file: 'sample.go', command: ['go', 'run', 'sample.go'], check: ['go', 'version'] },
}

function isInstalled([program, ...parameters]: [string, ...string[]]): boolean {
  try {
    execFileSync(program, parameters, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const missing = Object.keys(runners).filter((label) => !isInstalled(runners[label]?.check ?? ['false']))
if (missing.length > 0) {
  const reason = missing.map((label) => `${label} (${runners[label]?.check.join(' ')} fails)`).join(', ')
  if (process.env.CI) throw new Error(`CI must not skip samples: ${reason}`)
  console.warn(`Samples are not run in ${reason}`)
}

const service: TestService = await startTestService('embedded') // as /health says on the pages
const server = createAdaptorServer({ fetch: createInstance(service).app.fetch })
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const { port } = server.address() as AddressInfo
const baseUrl = `http://127.0.0.1:${port}`
/** The first key of the service, which `GET /admin/keys` shows. */
const firstKey = await service.createKey({ name: 'dashboard', credits })
/** The second key, which gets a grant. */
await service.createKey({ name: 'Grace Hopper', credits })
const adminKey = (await service.createKey({ role: 'admin', credits: 0 })).secret
const shopKey = (await service.createKey({ role: 'admin', credits: 0, scopes: ['keys:write'] })).secret
await fetch(`${baseUrl}/api-key/credits`, { headers: { Authorization: `Bearer ${firstKey.secret}` } })
// Something was removed in the dataset's first version, so that there is a removal to show.
await service.sql`
  insert into removals (kind, forge_rest_id, version)
  values ('user', 1217933882, 1), ('repository', 1410866737, 1)`
const folder = await mkdtemp(join(tmpdir(), 'devdata-samples-'))

afterAll(async () => {
  await new Promise((closed) => server.close(closed))
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** A key that nothing was spent of, but for what the sample wants. */
async function createKey(request: SampleRequest): Promise<string> {
  if (request.key === 'admin') return adminKey
  if (request.key === 'shop') return shopKey
  const { secret, id } = await service.createKey({ credits })
  if (request.hasConnection) await connectAssistant(id)
  for (const path of request.before ?? []) {
    await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${secret}` } })
  }
  return secret
}

/** Connects an assistant with a key. It is the connection that the path of a sample names, whichever key had it before. */
async function connectAssistant(keyId: number): Promise<void> {
  await service.sql`
    insert into connections (id, handle_hash, api_key_id, secret_hash, client_id, client_name, redirect_uri, code_challenge,
      code_hash, access_hash, refresh_hash, refreshed_at, access_expires_at, max_credits_per_call, credit_limit, spent,
      lifetime_days, expires_at)
    overriding system value
    select 2, sha256(''), ${keyId}, s.hash, 'claude', 'Claude', 'https://claude.ai/api/mcp/auth_callback', '',
      sha256(''), sha256(''), sha256(''), now(), now(), 25, 1000, 120, 30, now() + interval '30 days'
    from api_key_secrets s where s.api_key_id = ${keyId}
    on conflict (id) do update set api_key_id = excluded.api_key_id, secret_hash = excluded.secret_hash`
}

/** Sends a request of `requests.ts`, and formats the response as pages show it. */
async function requestResponse(name: string): Promise<string> {
  const request = findRequest(name)
  if (request === undefined) throw new Error(`requests.ts has no ${name}`)
  const key = await createKey(request)
  const received = await fetch(`${baseUrl}${request.path}`, {
    method: request.method,
    headers: {
      ...request.sends,
      ...(request.key !== 'none' && { Authorization: `Bearer ${key}` }),
      ...(request.body && { 'Content-Type': 'application/json' }),
    },
    ...(request.body && { body: JSON.stringify(request.body) }),
  })
  const response = { status: received.status, headers: received.headers, text: await received.text() }
  return writeResponse(request, response, baseUrl)
}

/** Asks the questions that the home page answers without a key. */
async function recordSentences(): Promise<string> {
  const key = (await service.createKey({ credits: 1_000 })).secret
  const request = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`, { headers: { Authorization: `Bearer ${key}` } })
    if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`)
    return response
  }
  const recorded: RecordedSentences = {
    people: {},
    answers: {},
  }
  for (const place of recordedPlaces) {
    for (const packages of recordedPackages) {
      for (const { text: verb } of verbs) {
        const path = writeSentencePath({ place, verb, packages })
        const response = await request(path)
        const { data }: { data: Person[] } = await response.json()
        for (const person of data) recorded.people[person.login] = person
        const total = Number(response.headers.get('X-Total-Count'))
        recorded.answers[path] = { total, logins: data.map(({ login }) => login) }
      }
    }
  }
  return `${JSON.stringify(recorded)}\n`
}

describe('the recorded responses of the portal', () => {
  test('are what the service responds with: the sentences of the home page', async () => {
    await expect(await recordSentences()).toMatchFileSnapshot(join(responsesDirectory, 'sentences.json'))
  })

  test.each(Object.keys(requests))('are what the service responds with: %s', async (name) => {
    await expect(await requestResponse(name)).toMatchFileSnapshot(join(responsesDirectory, `${name}.http`))
  })
})

describe('the examples of openapi.yml, which the viewer shows,', () => {
  test.each([
    ['/users', 'listUsers'],
    ['/users/{login}', 'getUser'],
    ['/repos', 'listRepositories'],
    ['/repos/{owner}/{name}', 'getRepository'],
    ['/repos/{owner}/{name}/commits', 'listCommits'],
    ['/repos/{owner}/{name}/dependencies', 'listDependencies'],
    ['/repos/{owner}/{name}/dependencies/blame', 'listBlame'],
    ['/removals', 'listRemovals'],
    ['/dependencies', 'findDependencies'],
    ['/dependencies/history', 'getDependencyHistory'],
    ['/locations', 'findLocations'],
    ['/companies', 'findCompanies'],
    ['/counts', 'countItems'],
  ])('are what the service responds with: %s', async (path, name) => {
    const kept = await readFile(join(responsesDirectory, `${name}.http`), 'utf8')
    const declared = contract.paths[path]?.get?.responses['200'] ?? {}
    const content = 'content' in declared ? declared.content : undefined
    expect(content?.['application/json']?.example).toEqual(readShown(kept).body)
  })
})

/** Runs a piece of code as its reader would: saved in a file, the key in the environment. */
async function tryRun(label: string, code: string, key: string, existing?: string) {
  const runner = runners[label]
  if (runner === undefined) throw new Error(`Nobody knows how to run ${label}`)
  const [program = '', ...parameters] = runner.command
  const directory = existing ?? (await mkdtemp(join(folder, 'run-')))
  await writeFile(join(directory, runner.file), code)
  const child = spawn(program, parameters, {
    cwd: directory,
    env: { ...process.env, DEVDATA_API_KEY: key, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const exit = await new Promise<number | null>((settled, failed) => {
    child.on('error', failed)
    child.on('close', settled)
  })
  return { exit, ...output }
}

/** Runs a piece of code that has to succeed, and returns what it printed. */
async function run(label: string, code: string, key: string, directory?: string): Promise<string> {
  const { exit, stdout, stderr } = await tryRun(label, code, key, directory)
  if (exit !== 0) throw new Error(`${label} ended with ${exit}: ${stderr}${stdout}`)
  return stdout
}

/** Runs a program of `src/samples`, and returns what it printed and what its key was charged. */
async function runProgram(name: string, label: string, code: string) {
  // A limit that two look-ups use up, so that the third has to wait and try again.
  const rateLimit = name === 'retry' ? { requests: 2, seconds: 2 } : null
  const { secret, id } = await service.createKey({ credits, rateLimit })
  const directory = await mkdtemp(join(folder, 'program-'))
  let output = await run(label, code, secret, directory)
  // The second run continues with the copy that the first one saved.
  if (name === 'refresh') output += await run(label, code, secret, directory)
  return { output: output.trim(), charged: (await service.readLedger(id)).charged }
}

/** Records the responses that pages need. Every program exists in JavaScript. */
async function recordResponses(update: SnapshotUpdate): Promise<void> {
  const isDue = (file: string) =>
    update === 'all' || (update === 'new' && !existsSync(join(responsesDirectory, file)))
  if (isDue('sentences.json')) {
    await writeFile(join(responsesDirectory, 'sentences.json'), await recordSentences())
  }
  for (const name of Object.keys(requests).filter((name) => isDue(`${name}.http`))) {
    await writeFile(join(responsesDirectory, `${name}.http`), await requestResponse(name))
  }
  for (const file of await readdir(samplesDirectory)) {
    const { name, ext } = parse(file)
    if (ext !== '.mjs' || !isDue(`${name}.txt`)) continue
    const code = await readFile(join(samplesDirectory, file), 'utf8')
    const { output } = await runProgram(name, 'JavaScript', code.replaceAll('{base_url}', baseUrl))
    await writeFile(join(responsesDirectory, `${name}.txt`), `${output}\n`)
  }
}

/** The parts of a response as a page shows it. */
function readShown(response: string) {
  const [head = '', body] = response.split('\n\n')
  const [statusLine = '', ...fields] = head.split('\n')
  const headers = fields.map((field) => {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(field) ?? []
    return [name, value] as const
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    body: body === undefined ? undefined : JSON.parse(body),
  }
}

/** What curl printed with -i or -I. */
function readCurl(output: string) {
  const [head = '', ...rest] = output.split('\r\n\r\n')
  const [statusLine = '', ...fields] = head.split('\r\n')
  const headers = new Headers()
  for (const field of fields)
    headers.append(field.slice(0, field.indexOf(':')), field.slice(field.indexOf(':') + 1))
  return { status: Number(statusLine.split(' ')[1]), headers, text: rest.join('\r\n\r\n') }
}

describe('the samples of the built pages', async () => {
  await recordResponses(inject('snapshotUpdate'))
  await buildDocs({ ifStale: true })
  const docs = await findDocs(docsDirectory)
  const pages = Object.keys(docs?.files ?? {}).filter((name) => name.endsWith('.html'))
  const samples: PageSample[] = []
  for (const page of pages) {
    const response = await fetch(`${baseUrl}/docs/${page}`)
    samples.push(...readSamples(page, await response.text()))
  }
  const requestSamples = samples.filter(({ kind }) => kind === 'request')
  // The same sample is on several pages.
  const differentRequests = Map.groupBy(
    requestSamples.filter(({ label }) => !missing.includes(label)),
    ({ name, label, code, response }) => JSON.stringify([name, label, code, response]),
  )
  const programs = samples.filter(({ kind }) => kind === 'program')
  const ran = new Map<string, number>()
  const count = (label: string, pages = 1) => ran.set(label, (ran.get(label) ?? 0) + pages)

  afterAll(() => {
    const total = [...ran.values()].reduce((sum, each) => sum + each, 0)
    const parts = [...ran].map(([label, each]) => `${each} in ${label}`).join(', ')
    console.log(`Samples that were run: ${total} of ${samples.length} (${parts}), from ${pages.length} pages`)
  })

  test('show every request of requests.ts, in every language', () => {
    const shown = new Set(requestSamples.map(({ name }) => name))
    expect([...shown].sort()).toEqual(Object.keys(requests).sort())
    for (const name of shown) {
      const labels = requestSamples.filter((sample) => sample.name === name).map(({ label }) => label)
      expect(new Set(labels), name).toEqual(new Set(['curl', 'JavaScript', 'Python']))
    }
    expect(languages.map(({ label }) => label)).toEqual(Object.keys(runners))
  })

  test('name the key and the base URL only where a reader puts them', () => {
    for (const { page, name, code } of samples) {
      const isPublic = findRequest(name)?.key === 'none'
      expect([page, name, code.includes('DEVDATA_API_KEY')]).toEqual([page, name, !isPublic])
      expect([page, name, code.includes(baseUrl)]).toEqual([page, name, true])
      expect(code).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-|base_url/)
    }
  })

  const toRun = [...differentRequests.values()].flatMap(([sample, ...others]) =>
    sample ? [{ ...sample, others }] : [],
  )
  const title = 'get the response that the page shows: $page: $name in $label'
  async function expectResponse({ name, label, code, response, others }: (typeof toRun)[number]) {
    const request = findRequest(name)
    if (request === undefined) throw new Error(`requests.ts has no ${name}`)
    const kept = await readFile(join(responsesDirectory, `${name}.http`), 'utf8')
    const shown = readShown((response ?? kept).replaceAll('{base_url}', baseUrl).trim())
    const output = await run(label, code, await createKey(request))
    if (label === 'curl') {
      const { status, headers, text } = readCurl(output)
      expect(status).toBe(shown.status)
      for (const [header, value] of shown.headers) {
        expect([header, headers.get(header)]).toEqual([header, value])
      }
      if (shown.body !== undefined) expect(settleBody(request, JSON.parse(text))).toEqual(shown.body)
    } else if (request.method === 'HEAD') {
      expect(output.trim().split('\n')).toEqual(shown.headers.map(([header, value]) => `${header}: ${value}`))
    } else if (request.showsBody === false) {
      expect(output).toMatch(/^# HELP .*\n# TYPE /m)
    } else if (shown.body === undefined) {
      expect(output).toBe('')
    } else {
      expect(settleBody(request, JSON.parse(output))).toEqual(shown.body)
    }
    count(label, 1 + others.length)
  }
  const hasConnection = ({ name }: PageSample) => findRequest(name)?.hasConnection === true
  test.concurrent.each(toRun.filter((sample) => !hasConnection(sample)))(title, expectResponse)
  // One connection stands for that of each key, so these run one after the other.
  test.each(toRun.filter(hasConnection))(title, expectResponse)

  const keyed = samples.filter(({ name, label }) => {
    const request = findRequest(name)
    return request?.key !== 'none' && !missing.includes(label)
  })
  // The code of requests is written by one function. What it does about a refusal depends on these members alone.
  const kindOf = ({ name, label }: PageSample) => {
    const { method, status, showsBody } = findRequest(name) ?? {}
    return method === undefined ? `${name} ${label}` : `${method} ${status} ${showsBody} ${label}`
  }
  const ofEachKind = [...new Map(keyed.map((sample) => [kindOf(sample), sample])).values()]

  test.concurrent.each(ofEachKind)(
    'say that a key is wrong: $name in $label',
    async ({ name, label, code }) => {
      const { exit, stdout, stderr } = await tryRun(label, code, '00000000-0000-4000-8000-000000000000')
      const request = findRequest(name)
      if (request === undefined) {
        expect(exit).not.toBe(0)
        expect(stderr).toMatch(/Invalid API key|401/)
        expect(stdout).not.toMatch(/cost \d/)
      } else if (label === 'curl') {
        expect(stdout).toMatch(/^HTTP\/1\.1 401 /)
        if (request.method !== 'HEAD') expect(stdout).toContain('{"error":"Invalid API key"}')
      } else if ((request.status ?? 200) < 400) {
        expect(exit).not.toBe(0)
        expect(stderr).toMatch(/Invalid API key|401|Unauthorized/)
      } else {
        expect(stdout).toContain('"error": "Invalid API key"')
      }
    },
  )

  test.skipIf(missing.includes('curl'))(
    'can be followed in the quickstart from top to bottom with one key',
    async () => {
      const { secret } = await service.createKey({ credits: demoCredits })
      const steps = samples.filter(({ page, label }) => page === 'quickstart/index.html' && label === 'curl')
      expect(steps.length).toBeGreaterThan(4)
      const firstUsers: string[] = []
      for (const { kind, code, response = '' } of steps) {
        const output = await run('curl', code, secret)
        if (kind === 'program') {
          expect(output.trim()).toBe(response.trim())
          continue
        }
        const shown = readShown(response.trim())
        const { headers, text } = readCurl(output)
        for (const [header, value] of shown.headers) {
          expect([header, headers.get(header)]).toEqual([header, value])
        }
        const body = text === '' ? {} : JSON.parse(text)
        expect(body.remaining_credits).toBe(shown.body?.remaining_credits)
        firstUsers.push(...(body.data ?? []).slice(0, 1).map(({ login }: { login: string }) => login))
      }
      // A filter that changes nothing shows nothing.
      expect(new Set(firstUsers).size).toBe(firstUsers.length)
      expect(firstUsers.length).toBeGreaterThan(1)
    },
  )

  test.each(programs.filter(({ label }) => !missing.includes(label)))(
    'print what the page shows: $page: $name in $label',
    async ({ name, label, code, response }) => {
      const { output, charged } = await runProgram(name, label, code)
      expect(output).toBe(response?.trim())
      expect(charged).toBeGreaterThan(0)
      count(label)
    },
  )

  test.each(programs.filter(({ name, label }) => name === 'refresh' && !missing.includes(label)))(
    'wait for the rate limit, and pay once for the pages of a run that failed: $name in $label',
    async ({ label, code }) => {
      const { secret, id } = await service.createKey({
        credits: 250,
        rateLimit: { requests: 2, seconds: 1 },
      })
      const directory = await mkdtemp(join(folder, 'program-'))
      const failed = await tryRun(label, code, secret, directory)
      expect(failed).toMatchObject({ exit: 1, stderr: expect.stringContaining('insufficient credits') })
      await grantCredits(service.sql, id, 1_000)
      const output = await run(label, code, secret, directory)
      expect(output).toBe('300 users, 400 repositories, paid 500 credits\n')
      expect((await service.readLedger(id)).charged).toBe(700)
    },
  )
})
