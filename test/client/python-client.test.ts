/**
 * The Python client, its packed file, against the real service: what it returns, retries, waits for and raises. What it does after
 * it was killed is in client-resume.test.ts.
 *
 * @module-tag later
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { parse as parseToml } from 'smol-toml'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { packPythonClient } from '../../client/build.ts'
import { cut, fail, type Intercept, interceptInTurn, lose, reword, serve } from '../support/client.ts'
import { listSamples } from '../support/markdown-samples.ts'
import { inheritEnvironment, succeeds } from '../support/program.ts'
import { findUsers } from '../support/sample-oracle.ts'
import { anyDatabase, type TestService, useService } from '../support/service.ts'
import { connectAssistant } from '../support/sign-in.ts'
import { useStarted } from '../support/suite.ts'

const run = promisify(execFile)
const hasMypy = await succeeds('mypy', '--version')
const project = join(import.meta.dirname, '..', '..')

let directory: string
let wheel: string
const service = useService(anyDatabase)
/** How the next requests are handled, in this order. Those after them reach the service. */
const interceptions: Intercept[] = []
const received: Request[] = []
const served = useStarted(() => serve(service, interceptInTurn(interceptions, received)))

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'devdata-python-')))
  wheel = await packPythonClient(directory)
})
afterAll(() => rm(directory, { recursive: true, force: true }))
beforeEach(() => {
  received.length = 0
})

/** What each program begins with. `waits` has the seconds of all waits, and `attempt` returns what is raised. */
const head = `
import json, os
from devdata_client import *

waits = []

def connect(url=os.environ["DEVDATA_URL"], **options):
    return Client(url, os.environ["DEVDATA_API_KEY"], on_wait=lambda wait: waits.append(wait.seconds), **options)

def attempt(act):
    try:
        return act()
    except Exception as error:
        return [type(error).__name__, str(error), getattr(error, "code", None)]

api = connect()
`

/** Runs a program with a key of its own. `prepare` gets the key before. Returns what the program prints, which is JSON. */
async function python(
  program: string,
  key: Parameters<TestService['createKey']>[0] = {},
  prepare?: (secret: string) => Promise<unknown>,
) {
  const { secret, id } = await service.createKey(key)
  await prepare?.(secret)
  const environment = {
    ...inheritEnvironment(),
    PYTHONPATH: wheel,
    DEVDATA_URL: served.url,
    DEVDATA_API_KEY: secret,
  }
  const { stdout } = await run('python3', ['-W', 'error', '-c', `${head}\n${program}`], { env: environment })
  return { output: JSON.parse(stdout), id }
}

describe('lists', () => {
  test('have times as dates and datetimes, too', async () => {
    const { output } = await python(`
from datetime import date, datetime, timedelta, timezone
zone = timezone(timedelta(hours=2))
texts = [api.users.quote(active_since=time).items for time in (date(2025, 3, 1), "2025-03-01", datetime(2025, 3, 1, 2, tzinfo=zone))]
print(json.dumps([
    len(set(texts)),
    api.repositories.list(pushed_since=datetime(2025, 3, 1, 2, 0, 0, 999, tzinfo=zone)).state["url"],
    list(api.usage(day=date(2020, 1, 1))),
    attempt(lambda: api.users.quote(active_since=datetime(2025, 3, 1))),
    attempt(lambda: api.users.quote(location=date(2025, 3, 1))),
    attempt(lambda: api.usage(day=datetime(2025, 3, 1, tzinfo=zone))),
]))
`)
    expect(output).toEqual([
      1,
      'repos?pushed_since=1740787200&per_page=100',
      [],
      ['ValueError', 'active_since must have a time zone, such as datetime.timezone.utc', null],
      ['TypeError', expect.stringMatching(/^location must be a text or a whole number/), null],
      ['TypeError', expect.stringMatching(/^day must be a text or a whole number/), null],
    ])
  })

  test('have the price and the number of items that the quote says, and stop at the budget', async () => {
    const { output, id } = await python(`
quote = api.users.quote(location=["berlin", "paris"], dependency_names=["react"])
users = api.users.list(location=["berlin", "paris"], dependency_names=["react"], budget=7, page_size=5)
logins = [user["login"] for user in users]
part = [len(logins), users.spent, users.stopped_by, users.total == quote.items]
rest = api.users.list(location=["berlin", "paris"], dependency_names=["react"], budget=quote.credits, resume=json.loads(json.dumps(users.state)))
logins += [user["login"] for page in rest.pages() for user in page.items]
print(json.dumps([part, len(set(logins)) == len(logins) == quote.items, rest.spent == quote.credits, rest.state, rest.is_complete, quote.credits]))
`)
    const [part, ...rest] = output
    expect(part).toEqual([7, 7, 'budget', true])
    expect(rest.slice(0, 4)).toEqual([true, true, null, true])
    expect(await service.readLedger(id)).toMatchObject({ charged: rest[4] })
  })

  test('have filters that are those of the API, and what discovery names', async () => {
    const { output } = await python(`
print(json.dumps([
    api.users.quote(country=["DE", "us"], type="User", has="email", min_followers=10, active_since="2025-01-01").items,
    api.repositories.quote(language=["TypeScript", "Python"], license="MIT", min_stars=100, fork=False, archived=False).items,
    api.users.count("country", dependency_names=["react"]).values[0],
    api.repositories.count("dependency", fork=False).others,
    api.find_dependencies(contains="react-d")[0]["dependency_name"],
    api.find_locations("berlin, g")[0]["country"],
    [user["followers"] for user in api.users.list(country="DE", sort="followers", page_size=3)],
]))
`)
    const followers = findUsers({ country: ['DE'] }).map(({ followers }) => followers)
    const count = async (path: string) => {
      const { secret } = await service.createKey()
      return Number(
        (await service.request(path, { key: secret, method: 'HEAD' })).headers.get('X-Total-Count'),
      )
    }
    expect(output).toEqual([
      await count('/users?country=DE,us&type=User&has=email&min_followers=10&active_since=2025-01-01'),
      await count('/repos?language=TypeScript,Python&license=MIT&min_stars=100&fork=false&archived=false'),
      { value: 'DE', count: 25 },
      null,
      ...['react-dom', 'DE', followers.sort((a, b) => b - a)],
    ])
  })

  test('of names, commits, dependencies and the ledger', async () => {
    const { output, id } = await python(`
monolith = "yarrow-collective/monolith"
print(json.dumps([
    [user["login"] for ids in [["NGOLDBERG", "ngoldberg", "nobody-at-all"], [api.users.get("ngoldberg")["forge_rest_id"], -5]] for user in api.users.get_many(ids)],
    [len(list(api.repositories.get_many([monolith]))), api.repositories.get(monolith)["full_name"]],
    len(list(api.repositories.commits(monolith, budget=30))),
    len(list(api.repositories.dependencies(monolith))) > 0,
    next(iter(api.repositories.blame("kmuller/widget", page_size=1)))["removed"]["author_email"],
    [api.users.get("nobody-at-all"), api.repositories.get("no/such")],
    sum(entry["cost"] for entry in api.usage()),
    api.credits()["remaining_credits"],
]))
`)
    const { charged, balance } = await service.readLedger(id)
    expect(output.slice(0, 6)).toEqual([
      ['ngoldberg', 'ngoldberg'],
      [1, 'yarrow-collective/monolith'],
      30,
      true,
      'kmuller@example.com',
      [null, null],
    ])
    expect(output.slice(6)).toEqual([charged, balance])
  })

  test('of many long names fit a small budget', async () => {
    const { output, id } = await python(`
logins = [user["login"] for user in api.users.list(budget=8)]
users = api.users.get_many([str(index).ljust(80, "x") for index in range(150)] + logins, budget=5)
print(json.dumps([len(list(users)), users.spent, users.stopped_by]))
`)
    expect(output).toEqual([5, 5, 'budget'])
    expect(await service.readLedger(id)).toMatchObject({ charged: 13 })
  })

  test('spend no more than the budget if a page is continued after the time in which it is free', async () => {
    const first = await python(`
users = api.users.list(page_size=10, budget=15)
logins = [next(iter(users))["login"] for _ in range(3)]
print(json.dumps([logins, users.state, os.environ["DEVDATA_API_KEY"]]))
`)
    const [logins, state, secret] = first.output
    await service.sql`
      update idempotency_keys set created_at = created_at - interval '25 hours' where api_key_id = ${first.id}`
    const { output } = await python(`
api = Client(os.environ["DEVDATA_URL"], "${secret}")
late = api.users.list(page_size=10, budget=15, resume=json.loads('${JSON.stringify(state)}'))
part = [len(list(late)), late.spent, late.stopped_by]
rest = api.users.list(page_size=10, budget=23, resume=late.state)
print(json.dumps([part, [user["login"] for user in rest], rest.spent, rest.stopped_by]))
`)
    const [part, rest, ...ending] = output
    expect([part, new Set([...logins, ...rest]).size, ending]).toEqual([
      [0, 10, 'budget'],
      13,
      [23, 'budget'],
    ])
    expect(await service.readLedger(first.id)).toMatchObject({ charged: 23 })
  })

  test('of connections, which end once, also if the response is lost', async () => {
    const { output } = await python(
      `
[connection] = api.connections()
api.end_connection(connection["id"])
api.end_connection(connection["id"])
print(json.dumps([connection["name"], connection["spent_credits"], api.connections(), attempt(lambda: api.end_connection(-1))]))
`,
      {},
      async (secret) => {
        await connectAssistant(service, secret)
        interceptions.push((request, handle) => handle(request), lose)
      },
    )
    expect(output).toEqual([
      ...['Test connector', 0, []],
      ['InvalidRequestError', expect.stringContaining('must be the id of a connection'), 'invalid_parameter'],
    ])
    expect(received.map(({ method }) => method)).toEqual([
      'GET',
      'DELETE',
      'DELETE',
      'DELETE',
      'GET',
      'DELETE',
    ])
  })

  test('are read once, and refuse what the service would ignore', async () => {
    const { output, id } = await python(`
users = api.users.list(location="berlin", budget=0)
list(users)
empty = api.users.get_many([])
list(empty)
print(json.dumps([attempt(act)[:2] for act in [
    lambda: list(empty),
    lambda: api.users.list(nmae="x"),
    lambda: api.users.list(location=[]),
    lambda: api.users.list(location=" "),
    lambda: api.users.list(dependency_names="a,b"),
    lambda: api.users.list(min_followers=1.5),
    lambda: api.users.list(budget=-1),
    lambda: api.users.list(page_size=101),
    lambda: api.users.list(location="paris", resume=users.state),
    lambda: api.users.get(None),
    lambda: api.users.get(".."),
    lambda: api.users.get("ngoldberg", idempotency_key=""),
    lambda: api.users.get("ngoldberg", idempotency_key="my-step\\n"),
    lambda: api.repositories.get("a/b", idempotency_key="Łukasz"),
    lambda: api.users.get_many("ngoldberg"),
    lambda: api.users.get_many(["a", 1]),
    lambda: api.repositories.commits("monolith"),
    lambda: Client("localhost:8000", "key"),
    lambda: Client("http://localhost:port", "key"),
    lambda: Client("http://a:b@localhost", "key"),
    lambda: Client("http://localhost", "ä"),
    lambda: Client("http://localhost", "key", retries=-1),
]]))
`)
    const problems = output.map((problem: unknown[] | null) => problem?.join(': '))
    expect(problems).toEqual([
      'TypeError: All is read: keep the items of the first loop, or create a new list',
      expect.stringMatching(/^TypeError: there is no filter nmae; there are location, company, country, /),
      'ValueError: location is empty; leave it out to list everything',
      'ValueError: location is empty; leave it out to list everything',
      'ValueError: dependency_names must not contain commas; several values are a list',
      'TypeError: min_followers must be a text or a whole number, or a list of them, but has 1.5',
      'ValueError: budget must be a whole number of credits',
      'ValueError: page_size must be a whole number from 1 to 100',
      'ValueError: resume must be the state of an iteration of the same list, with the same filter',
      'TypeError: a login, an owner or a name must be a text',
      'ValueError: a login, an owner or a name must not be empty, a dot or two dots',
      'ValueError: idempotency_key must be 1 to 255 visible ASCII characters',
      'ValueError: idempotency_key must be 1 to 255 visible ASCII characters',
      'ValueError: idempotency_key must be 1 to 255 visible ASCII characters',
      'TypeError: names or ids to look up must be a list',
      'TypeError: names and ids must be looked up separately',
      'ValueError: a repository is named by OWNER/NAME',
      'ValueError: base_url must be the URL of the API, such as https://api.example.com',
      'ValueError: base_url must be the URL of the API, such as https://api.example.com',
      'ValueError: base_url must not have a user name or a password',
      'ValueError: api_key must be an API key: visible ASCII characters',
      'ValueError: retries must be a whole number',
    ])
    expect(await service.readLedger(id)).toMatchObject({ charged: 0 })
  })

  test('of changes are everything first, and then what has changed since', async () => {
    const { output } = await python(
      `
changes = api.changes(budget=150)
kinds = [change.type for change in changes]
since = api.changes(changes.version)
print(json.dumps([len(kinds), changes.spent, changes.stopped_by, changes.version, [change.type for change in since], since.spent]))
`,
    )
    expect(output).toEqual([150, 150, 'budget', 1, [], 0])
  })
})

describe('retries', () => {
  test.each<[string, Intercept[]]>([
    ['responses that are cut', [cut, cut]],
    ['errors of a proxy', [fail(502), fail(504)]],
    ['responses that are lost', [lose]],
  ])('of %s are under the same idempotency key', async (_, intercepts) => {
    interceptions.push(...intercepts)
    const { output, id } = await python(`
users = api.users.list(budget=20)
print(json.dumps([len(list(users)), users.spent, len(waits)]))
`)
    expect(output).toEqual([20, 20, intercepts.length])
    expect(await service.readLedger(id)).toMatchObject({ charged: 20 })
    const keys = received.slice(0, intercepts.length + 1).map(({ headers }) => headers.get('Idempotency-Key'))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[!-~]{20,255}$/)
  })

  test('wait as long as Retry-After says, and never meet a rate limit', async () => {
    interceptions.push(fail(503, { 'Retry-After': '1' }))
    const { output } = await python(
      `
users = [api.users.get("ngoldberg")["login"] for _ in range(5)]
print(json.dumps([users[-1], waits]))
`,
      { rateLimit: { requests: 2, seconds: 1 } },
    )
    const [login, waits] = output
    expect(login).toBe('ngoldberg')
    expect(waits[0]).toBeGreaterThanOrEqual(1)
    expect(waits[0]).toBeLessThanOrEqual(2)
    expect(waits.length).toBeGreaterThan(1)
    expect(received.length).toBe(6)
  })

  test('end after their number, or soon if the URL has never responded', async () => {
    const retry = { 'Retry-After': '0' }
    interceptions.push(fail(503, retry), fail(503, retry))
    const { output } = await python(`
print(json.dumps([
    attempt(lambda: connect(retries=1).users.get("ngoldberg")),
    attempt(lambda: connect("http://127.0.0.1:9").credits()),
    len(waits),
]))
`)
    expect(received.length).toBe(2)
    expect(output).toEqual([
      ['UnavailableError', 'GET users/ngoldberg failed with status 503', null],
      [
        'UnreachableError',
        expect.stringMatching(
          /^Can't connect: .*refused.* Check the base URL http:\/\/127\.0\.0\.1:9\/, and whether the service runs$/,
        ),
        null,
      ],
      3,
    ])
  })

  test('follow a response that takes too long, and a connection that was closed meanwhile', async () => {
    interceptions.push(
      () => new Promise(() => {}),
      async (request, handle) => {
        const response = await handle(request)
        response.headers.set('Connection', 'close')
        return response
      },
    )
    const { output } = await python(`
import http.client
read1 = http.client.HTTPResponse.read1

def close_with_last_byte(response, size=-1):
    """What read1 does from Python 3.11.8, 3.12.2 and 3.13 on."""
    chunk = read1(response, size)
    if response.length == 0 and not response.isclosed():
        response._close_conn()
    return chunk

http.client.HTTPResponse.read1 = close_with_last_byte
slow = connect(timeout=0.5, retries=1)
print(json.dumps([slow.users.get("ngoldberg")["login"], slow.users.get("ngoldberg")["login"], len(waits)]))
`)
    expect(output).toEqual(['ngoldberg', 'ngoldberg', 1])
  })
})

test.each([
  ['broken', (body: Buffer) => Buffer.concat([body.subarray(0, 10), Buffer.alloc(40, 0xff)])],
  ['cut', (body: Buffer) => body.subarray(0, -12)],
])('a compressed response that is %s is an error of the connection', async (_, spoil) => {
  const body = spoil(gzipSync(JSON.stringify({ remaining_credits: 5 })))
  await using spoiling = createServer((_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(body),
  )
  await new Promise<void>((listening) => spoiling.listen(0, '127.0.0.1', listening))
  const { port } = spoiling.address() as AddressInfo
  const { output } = await python(
    `print(json.dumps(attempt(lambda: connect("http://127.0.0.1:${port}", retries=0).credits())))`,
  )
  expect(output).toEqual(['NetworkError', expect.stringMatching(/^The request failed: /), null])
})

test('a response that comes in drips ends in time', async () => {
  const dripping = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' })
    const timer = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((listening) => dripping.listen(0, '127.0.0.1', listening))
  const { port } = dripping.address() as AddressInfo
  const { output } = await python(
    `print(json.dumps(attempt(lambda: connect("http://127.0.0.1:${port}", timeout=0.5, retries=0).credits())))`,
  )
  dripping.closeAllConnections()
  dripping.close()
  expect(output).toEqual(['NetworkError', 'The request failed: timed out', null])
})

test('a forked process has a connection of its own, and sets are resumed by another one', async () => {
  const { output } = await python(`
users = api.users.list(location={"berlin", "paris", "lagos"}, budget=3)
list(users)
reader, writer = os.pipe()
if os.fork() == 0:
    logins = [api.users.get("ngoldberg")["login"] for _ in range(20)]
    os.write(writer, json.dumps(logins).encode())
    os._exit(0)
own = [api.credits()["role"] for _ in range(20)]
os.wait()
print(json.dumps([sorted(set(own)), sorted(set(json.loads(os.read(reader, 9999)))), users.state["url"].split("&page")[0]]))
`)
  expect(output).toEqual([['user'], ['ngoldberg'], 'users?location=berlin&location=lagos&location=paris'])
})

describe('errors', () => {
  test('have a class, the message and the code, and numbers that don’t depend on the message', async () => {
    interceptions.push((request, handle) => handle(request), reword, reword)
    const { output } = await python(
      `
poor = attempt(lambda: list(api.users.list(page_size=10)))
try:
    api.users.get("ngoldberg", max_credits=0)
except MaxCreditsError as error:
    import pickle
    error = pickle.loads(pickle.dumps(error))
    details = [error.status, error.cost, error.max_credits, len(error.request_id)]
try:
    list(api.users.list(page_size=10))
except InsufficientCreditsError as error:
    details += [str(error), error.needed, error.balance]
print(json.dumps([
    poor,
    details,
    attempt(lambda: api.users.quote(country="Germany")),
    attempt(lambda: list(api.repositories.commits("no/such"))),
    attempt(lambda: api.changes(1_000_000).__iter__().__next__()),
    attempt(lambda: connect(os.environ["DEVDATA_URL"] + "/x").credits()),
    attempt(lambda: connect(os.environ["DEVDATA_URL"] + "/docs").credits())[0],
    attempt(lambda: Client(os.environ["DEVDATA_URL"], "key").credits()),
]))
`,
      { credits: 5 },
    )
    expect(output).toEqual([
      ['InsufficientCreditsError', 'insufficient credits: need 10, have 5', 'insufficient_credits'],
      [403, 1, 0, 36, 'Another message', 10, 5],
      ['InvalidRequestError', expect.stringMatching(/^Invalid country: /), 'invalid_parameter'],
      ['NotFoundError', 'Repository not found', 'repository_not_found'],
      ['InvalidRequestError', expect.stringMatching(/^Invalid changed_since/), 'invalid_parameter'],
      [
        'NotFoundError',
        expect.stringMatching(
          /^Not found\. Check the base URL http.*\/x\/\. If it is right, the service may be of an older version$/,
        ),
        'route_not_found',
      ],
      'NotFoundError',
      ['AuthenticationError', 'Invalid API key format', 'invalid_api_key_format'],
    ])
  })

  test('say where a base URL redirects to, and that a proxy has responded', async () => {
    interceptions.push(
      async () =>
        new Response(null, { status: 301, headers: { Location: 'https://api.example.com/api-key/credits' } }),
      ...[fail(401), fail(403), fail(410)],
    )
    const { output } = await python(`
print(json.dumps([attempt(api.credits)[:2]] + [attempt(lambda: list(api.users.watch(since=0)))[:2] for _ in range(3)]))
`)
    expect(output).toEqual([
      [
        'InvalidRequestError',
        `Check the base URL ${served.url}/: it redirects to https://api.example.com/api-key/credits`,
      ],
      ...[401, 403, 410].map((status) => [
        'InvalidRequestError',
        expect.stringMatching(
          `failed with status ${status}\\. Check the base URL ${served.url}/\\. If it is right, a proxy responded, not the service$`,
        ),
      ]),
    ])
    expect(received.length).toBe(4)
  })

  test('say that lists and clients can’t be pickled, and what to keep instead', async () => {
    const { output } = await python(`
import copy, pickle
users = api.users.list(location="berlin")
print(json.dumps([attempt(lambda: pickle.dumps(each))[:2] for each in (users, api.changes(1), api, api.users)]
    + [attempt(lambda: copy.copy(users))[:2], pickle.loads(pickle.dumps(users.state)) == users.state]))
`)
    const list = "A list can't be pickled or copied: keep its state, or make a Python list of its items"
    const client =
      "A client can't be pickled or copied: it has a key and connections. Create one in each process"
    expect(output).toEqual([
      ...[list, list, client, client, list].map((message) => ['TypeError', message]),
      true,
    ])
  })

  test('a cache makes what has not changed free', async () => {
    const { output, id } = await python(`
cached = connect(cache={})
print(json.dumps([len(list(cached.users.list(location="berlin"))) for _ in range(2)]))
`)
    expect(output).toEqual([51, 51])
    expect(await service.readLedger(id)).toMatchObject({ charged: 51 })
  })

  test('threads share a client', async () => {
    const { output } = await python(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    logins = list(pool.map(lambda _: api.users.get("ngoldberg")["login"], range(40)))
print(json.dumps([len(logins), sorted(set(logins))]))
`)
    expect(output).toEqual([40, ['ngoldberg']])
  })
})

describe('keys over HTTP', () => {
  test('creates, finds, changes, grants, rotates, revokes and restores, once though responses are lost', async () => {
    const pass: Intercept = (request, handle) => handle(request)
    interceptions.push(lose, pass, lose, pass, lose)
    const { output } = await python(
      `
from devdata_client.admin import Admin
keys = Admin(os.environ["DEVDATA_URL"], os.environ["DEVDATA_API_KEY"]).keys
made = keys.create(reference="order 1", credits=10, name="Py", notify_below=5, expires_at=None)
key_id = made["id"]
granted = keys.grant(key_id, credits=5, reference="invoice 1")
rotated = keys.rotate(key_id)
with Client(os.environ["DEVDATA_URL"], rotated["secret"]) as own:
    balance = own.credits()["remaining_credits"]
changed = keys.change(key_id, name=None, rate_limit="9/60")
print(json.dumps([
    [made["secret"], granted["outcome"], balance],
    [changed["name"], changed["rate_limit"], changed["notify_below"]],
    [keys.revoke(key_id)["status"], keys.restore(key_id)["status"], keys.get(key_id)["id"] == key_id, keys.get(2147483647)],
    sum(key["id"] == key_id for key in keys.list(below=16, page_size=1)),
    attempt(lambda: keys.create(reference="order 1", credits=11))[::2],
    attempt(lambda: keys.create(reference="order 2", credit=11))[1:],
    attempt(lambda: keys.revoke(2147483647))[::2],
]))
`,
      { role: 'admin', scopes: ['keys:write'] },
    )
    expect(output).toEqual([
      [null, 'repeated', 15],
      [null, '9/60', 5],
      ['revoked', 'active', true, null],
      1,
      ['InvalidRequestError', 'reference_conflict'],
      [expect.stringMatching(/^Unknown member: credit; /), 'invalid_parameter'],
      ['NotFoundError', 'key_not_found'],
    ])
  })
})

describe('the package', () => {
  test('has the version of the other client', async () => {
    const { project: metadata } = parseToml(
      await readFile(join(project, 'client/python/pyproject.toml'), 'utf8'),
    )
    const { version } = JSON.parse(await readFile(join(project, 'client/package.json'), 'utf8'))
    expect(metadata).toMatchObject({ version })
    expect(
      (await python('import devdata_client; print(json.dumps(devdata_client.__version__))')).output,
    ).toBe(version)
  })

  test.skipIf(!hasMypy)('has types that a strict checker accepts, and that find mistakes', async () => {
    const program = join(directory, 'program.py')
    await writeFile(
      program,
      `from devdata_client import Client, ItemList, ListState
from devdata_client.admin import Admin
from devdata_client.records import User

made = Admin("http://localhost", "key").keys.create(reference="order 1", credits=5, notify_below=None)
secret: str | None = made["secret"]
balance: int = made["key"]["remaining_credits"]
api = Client("http://localhost", "key")
users: ItemList[User] = api.users.list(location=["berlin"], budget=5)
state: ListState | None = users.state
names: list[str | None] = [user["name"] for user in users]
for repository in api.repositories.list(exclude="dependencies"):
    stars: int | None = repository["stargazers_count"]
`,
    )
    const sources = join(project, 'client/python')
    const check = (...files: string[]) =>
      run('mypy', ['--config-file', join(sources, 'pyproject.toml'), '--cache-dir=/dev/null', ...files], {
        cwd: directory,
        env: { ...inheritEnvironment(), MYPYPATH: join(sources, 'src') },
      })
    await check(join(sources, 'src/devdata_client'), program)
    await writeFile(
      program,
      `from devdata_client import Client
from devdata_client.admin import Admin
for user in Client("http://localhost", "key").users.list(nmae="x"):
    print(user["nmae"])
Admin("http://localhost", "key").keys.grant(7, credits=5)
`,
    )
    await expect(check(program)).rejects.toHaveProperty(
      'stdout',
      expect.stringMatching(/"nmae"[\s\S]*"nmae"[\s\S]*"reference"/),
    )
  })
})

test('each program of the page runs by itself, and their lists have items', async () => {
  const page = await readFile(join(project, 'docs-site/src/content/docs/python-client.md'), 'utf8')
  const { secret } = await service.createKey()
  const environment = {
    ...inheritEnvironment(),
    PYTHONPATH: wheel,
    DEVDATA_URL: served.url,
    DEVDATA_API_KEY: secret,
  }
  const outputs: string[][] = []
  for (const program of listSamples(page, 'python')) {
    const { stdout } = await run('python3', ['-c', program], { cwd: directory, env: environment })
    outputs.push(stdout.trimEnd().split('\n'))
  }
  const [first = [], list = [], frame = [], resumed, copied = [], watched] = outputs
  const [, balance, items, credits] = /^Noor Goldberg (\d+) (\d+) (\d+)$/.exec(first[0] ?? '') ?? []
  expect([Number(balance) > 0, Number(items) > 1, credits]).toEqual([true, true, items])
  expect([list.length - 1, list.at(-1)]).toEqual([
    Number(items),
    expect.stringMatching(`^${items} \\d+ None$`),
  ])
  expect(watched).toEqual([items])
  const [count] = /^\d+/.exec(frame[0] ?? '') ?? []
  expect(resumed).toEqual([`${count} None`])
  expect([copied.length, copied[0], copied.at(-1)]).toEqual([
    501,
    expect.stringMatching(/^user \d+$/),
    '500 budget',
  ])
  const stored = await readFile(join(directory, 'pages.ndjson'), 'utf8')
  const users = stored
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).users)
  expect([users.length, users.length > 1]).toEqual([Number(count), true])
})
