/**
 * A database on two servers that Patroni runs, with etcd and HAProxy, from the programs of the machine and the files of
 * `deploy/high-availability`.
 */
import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv, promisify } from 'node:util'
import postgres from 'postgres'
import type { Fault, Site } from './faults.ts'
import { waitForPort } from './listens.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'
import {
  findFreePort,
  findTemporaryDirectory,
  findUnprivilegedAccount,
  watchForRemoval,
} from './postgres-process.ts'
import { type RunningProgram, startProgram, succeeds } from './program.ts'
import { adapt, findProxy } from './reverse-proxies.ts'

const files = resolve(import.meta.dirname, '../../deploy/high-availability')
const password = 'secret'
const run = promisify(execFile)

/** Servers, of which one is the primary. */
export interface PatroniCluster extends AsyncDisposable {
  /** The URL of an empty database, through HAProxy: it leads to the primary. */
  databaseUrl: string
  /** The URLs of the same database on each server. */
  serverUrls: string[]
  /** Has the standby take over from the primary, which goes on as the standby. */
  switchOver: Fault<Site>
  /** Ends everything on the primary's machine at once. After the other has taken over, the machine comes back. */
  loseMachine: Fault<Site>
  /** Ends everything on the standby's machine at once, which comes back. */
  loseStandby: Fault<Site>
  /**
   * The primary's machine stands still until the other has taken over, then goes on as if nothing had happened. A
   * Patroni that takes its role back is killed and started again instead.
   */
  freezeMachine: Fault<Site>
  /** Ends etcd, and starts it again after the primary's lease has expired. */
  loseEtcd: Fault<Site>
}

/** Whether the machine has etcd, Patroni and HAProxy. */
export async function hasPatroni(): Promise<boolean> {
  const programs = await Promise.all([succeeds('etcd', '--version'), succeeds('patroni', '--version')])
  return programs.every(Boolean) && findProxy('haproxy') !== undefined
}

/**
 * Whether Patroni may take its former role back after it was frozen, with the loss of what the other server has
 * charged: before 3.1 (pull requests 2689 and 2787 of patroni/patroni). Debian 12 has 3.0.2, and the portal says that
 * it isn't enough.
 */
async function takesRoleBack(): Promise<boolean> {
  const { stdout } = await run('patroni', ['--version'])
  return /^patroni (?:[12]|3\.0)\./.test(stdout)
}

interface Member {
  name: string
  data: string
  /** Of the database server. */
  port: number
  /** Of Patroni's own requests. */
  url: string
  patroni: RunningProgram
  start(): Promise<RunningProgram>
}

/** Starts both servers, and waits until the second is a synchronous standby. */
export async function startPatroniCluster({
  directory: binaries,
}: PostgresBinaries): Promise<PatroniCluster> {
  await using stack = new AsyncDisposableStack()
  const account = findUnprivilegedAccount()
  const directory = await mkdtemp(join(findTemporaryDirectory(account), 'devdata-ha-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  if (account) await chown(directory, account.uid, account.gid)
  const [etcdPort, peerPort, primaryPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const etcdUrl = `http://127.0.0.1:${etcdPort}`
  const peerUrl = `http://127.0.0.1:${peerPort}`
  const etcdSettings = adapt(await readFile(join(files, 'etcd.env'), 'utf8'), [
    [',etcd-2=http://10.0.0.22:2380,etcd-3=http://10.0.0.23:2380', ''],
    ['http://10.0.0.21:2380', peerUrl],
    ['http://10.0.0.21:2379', etcdUrl],
  ])
  const startEtcd = () =>
    startProgram(['etcd', `--data-dir=${directory}/etcd`], {
      directory,
      environment: parseEnv(etcdSettings) as Record<string, string>,
      announcement: /()ready to serve client requests/,
      account,
    })
  let etcd = await startEtcd()
  stack.defer(() => etcd.kill())

  const example = await readFile(join(files, 'patroni.yml'), 'utf8')
  async function startMember(name: string): Promise<Member> {
    const [port, restPort] = [await findFreePort(), await findFreePort()]
    const file = join(directory, `${name}.yml`)
    const folder = join(directory, name)
    const data = join(folder, 'data')
    const socket = join(folder, 'socket')
    await mkdir(socket, { recursive: true })
    if (account) for (const path of [folder, socket]) await chown(path, account.uid, account.gid)
    // Patroni's server outlives Patroni, and would outlive a test that is killed.
    const removal = watchForRemoval(folder, account, { stays: false })
    stack.defer(() => removal.remove())
    const text = adapt(example, [
      ['name: database-1\n', `name: ${name}\n`],
      ['10.0.0.11:8008', `127.0.0.1:${restPort}`],
      ['10.0.0.11:5432', `127.0.0.1:${port}`],
      ['10.0.0.21:2379, 10.0.0.22:2379, 10.0.0.23:2379', `127.0.0.1:${etcdPort}`],
      ['host devdata all 10.0.0.0/24', 'host all all 127.0.0.1/32'],
      ['10.0.0.11/32', '127.0.0.1/32'],
      ['10.0.0.12/32', '127.0.0.1/32'],
      ['/usr/lib/postgresql/17/bin', binaries],
      ['/var/lib/postgresql/devdata', data],
      ['change this, too', password],
      ['and this', password],
      ['change this', password],
      [
        '\n  pg_hba:',
        `\n  pgpass: ${directory}/${name}.pgpass\n  parameters: { unix_socket_directories: ${socket} }\n  pg_hba:`,
      ],
    ])
    await writeFile(file, text)
    const start = () =>
      startProgram(['patroni', file], {
        directory,
        environment: {},
        announcement: /()no action\. I am/,
        account,
      })
    const member: Member = {
      name,
      data,
      port,
      url: `http://127.0.0.1:${restPort}`,
      patroni: await start(),
      start,
    }
    stack.defer(() => killMember(member))
    return member
  }
  const members = [await startMember('database-1'), await startMember('database-2')] as const

  const proxyFile = join(directory, 'haproxy.cfg')
  const [first, second] = members
  const portOf = ({ url }: Member) => new URL(url).port
  await writeFile(
    proxyFile,
    adapt(await readFile(join(files, 'haproxy.cfg'), 'utf8'), [
      ['log /dev/log local0', 'log stderr format raw local0'],
      ['    user haproxy\n    group haproxy\n    chroot /var/lib/haproxy\n', ''],
      ['bind 127.0.0.1:5432', `bind 127.0.0.1:${primaryPort}`],
      ['10.0.0.11:5432 check port 8008', `127.0.0.1:${first.port} check port ${portOf(first)}`],
      ['10.0.0.12:5432 check port 8008', `127.0.0.1:${second.port} check port ${portOf(second)}`],
    ]),
  )
  const proxy = await startProgram([findProxy('haproxy') ?? '', '-db', '-f', proxyFile], {
    directory,
    environment: {},
    announcement: /()/,
  })
  stack.use(proxy)
  await waitForPort(primaryPort, proxy)

  const urlOf = (port: number, database: string) =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
  await waitUntil(second, '/synchronous')
  const sql = postgres(urlOf(primaryPort, 'postgres'), { max: 1 })
  await sql`create database drill`
  await sql.end()

  async function findRoles(): Promise<{ primary: Member; standby: Member }> {
    const isFirst = await hasRole(first, '/primary')
    return isFirst ? { primary: first, standby: second } : { primary: second, standby: first }
  }
  /** What is broken is repaired once the other server is the primary. */
  const failOver = (
    breakPrimary: (primary: Member) => Promise<void>,
    repair: (former: Member) => Promise<void>,
  ): Fault<Site> => ({
    async inflict(site) {
      const { primary, standby } = await findRoles()
      await breakPrimary(primary)
      await waitUntil(standby, '/primary')
      const promotedAt = performance.now()
      await site.waitForService()
      console.log(
        `both instances served ${Math.round(performance.now() - promotedAt)} ms after the promotion`,
      )
      await repair(primary)
      await waitUntil(primary, '/synchronous')
    },
  })
  const owned = stack.move()
  return {
    databaseUrl: urlOf(primaryPort, 'drill'),
    serverUrls: members.map(({ port }) => urlOf(port, 'drill')),
    switchOver: {
      async inflict() {
        const { primary, standby } = await findRoles()
        const response = await fetch(`${primary.url}/switchover`, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`patroni:${password}`)}` },
          body: JSON.stringify({ leader: primary.name, candidate: standby.name }),
        })
        if (!response.ok) throw new Error(await response.text())
        await waitUntil(primary, '/synchronous')
      },
    },
    loseStandby: {
      async inflict(site) {
        const { standby } = await findRoles()
        await killMember(standby)
        const began = performance.now()
        await site.waitForService()
        console.log(
          `both instances served ${Math.round(performance.now() - began)} ms after the loss of the standby`,
        )
        standby.patroni = await standby.start()
        await waitUntil(standby, '/synchronous')
      },
    },
    loseMachine: failOver(killMember, async (former) => {
      former.patroni = await former.start()
    }),
    freezeMachine: failOver(
      async (primary) => {
        process.kill(primary.patroni.processId, 'SIGSTOP')
        await signalServer(primary, 'STOP')
      },
      async (former) => {
        if (await takesRoleBack()) {
          process.kill(former.patroni.processId, 'SIGKILL')
          await signalServer(former, 'CONT')
          former.patroni = await former.start()
        } else {
          await signalServer(former, 'CONT')
          process.kill(former.patroni.processId, 'SIGCONT')
        }
      },
    ),
    loseEtcd: {
      async inflict(site) {
        const { standby } = await findRoles()
        await etcd.kill()
        await sleep(30_000) // longer than ttl and loop_wait
        await site.waitForService()
        etcd = await startEtcd()
        await waitUntil(standby, '/synchronous')
      },
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

async function killMember(member: Member): Promise<void> {
  const ended = member.patroni.kill() // its output ends with that of the database server
  await signalServer(member, 'KILL').catch(() => {}) // it has ended before
  await ended
}

/** Sends a signal to a database server with all of its processes. */
async function signalServer({ data }: Member, signal: 'KILL' | 'STOP' | 'CONT'): Promise<void> {
  const [pid = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  const { stdout } = await run('pgrep', ['--parent', pid])
  for (const each of [pid, ...stdout.split('\n').filter(Boolean)]) {
    await run('kill', [`-${signal}`, each]).catch(() => {}) // it has ended
  }
}

/** Whether a server has a role, as Patroni says. */
async function hasRole({ url }: Member, path: '/primary' | '/synchronous'): Promise<boolean> {
  return await fetch(`${url}${path}`, { signal: AbortSignal.timeout(1_000) }).then(
    async (response) => {
      await response.body?.cancel()
      return response.ok
    },
    () => false,
  )
}

async function waitUntil(member: Member, path: '/primary' | '/synchronous'): Promise<void> {
  for (const deadline = Date.now() + 120_000; !(await hasRole(member, path)); await sleep(20)) {
    if (Date.now() > deadline)
      throw new Error(`${member.name} is not ${path}: ${member.patroni.readOutput()}`)
  }
}
