/**
 * The proxies of `deploy/proxies`, from the binaries of the machine. Their files are used as they are, but for what
 * `replacements` names: ports, certificate, accounts.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { waitForPort } from './listens.ts'
import { findFreePort } from './postgres-process.ts'
import { startProgram } from './program.ts'

/** The examples, by the name of their program. */
const proxyFiles = { nginx: 'nginx.conf', haproxy: 'haproxy.cfg', caddy: 'Caddyfile' } as const
export type ProxyName = keyof typeof proxyFiles
export const proxyNames = ['nginx', 'haproxy', 'caddy'] as const satisfies ProxyName[]

/** The path prefix of all examples. */
export const proxiedPath = '/public-api'

/** A running proxy, which listens on 127.0.0.1 with TLS. */
export interface ReverseProxy extends AsyncDisposable {
  port: number
  /** Its certificate, for `localhost`. */
  certificate: string
  /** The end of what it printed. */
  readOutput(): string
  /** Takes instances out, and puts the others in, as operators of nginx have to. Others check the health by themselves. */
  use(instancePorts: readonly number[]): Promise<void>
}

/** The binary of a proxy: on the `PATH`, or where Debian installs it. Undefined: there is none. */
export function findProxy(name: ProxyName): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  return directories.map((directory) => join(directory, name)).find((path) => existsSync(path))
}

/** The text of an example. */
export function readProxyFile(name: ProxyName): Promise<string> {
  return readFile(resolve(import.meta.dirname, '../../deploy/proxies', proxyFiles[name]), 'utf8')
}

/** What is replaced in an example: its text and ours. Each must occur. */
type Replacements = readonly (readonly [example: string, ours: string])[]

/** What is removed from an example if there is one instance, as it says. */
const secondInstance = {
  nginx: /.*# two instances\n/g,
  haproxy: / *server two .*\n/,
  caddy: / 127\.0\.0\.1:8002/,
} satisfies Record<ProxyName, RegExp>

/** Puts our ports and files into an example. Throws if it lacks what is to be replaced. */
export function adapt(text: string, replacements: Replacements): string {
  let adapted = text
  for (const [example, ours] of replacements) {
    if (!adapted.includes(example)) throw new Error(`the example lacks ${JSON.stringify(example)}`)
    adapted = adapted.replaceAll(example, ours)
  }
  return adapted
}

/** Starts a proxy with its example in front of one instance or two. */
export async function startReverseProxy(
  name: ProxyName,
  binary: string,
  instancePorts: readonly number[],
): Promise<ReverseProxy> {
  const directory = await mkdtemp(join(tmpdir(), `devdata-${name}-`))
  const port = await findFreePort()
  const certificateFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'key.pem')
  const bothFile = join(directory, 'both.pem')
  const file = join(directory, proxyFiles[name])
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
  const output = ['-keyout', keyFile, '-out', certificateFile]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...output], {
    stdio: 'pipe',
  })
  const certificate = await readFile(certificateFile, 'utf8')
  await writeFile(bothFile, certificate + (await readFile(keyFile, 'utf8')))

  /** The one place where the examples are changed. */
  const replacements: Record<ProxyName, Replacements> = {
    nginx: [
      ['listen 443 ', `listen 127.0.0.1:${port} `],
      ['/etc/ssl/api.example.com/fullchain.pem', certificateFile],
      ['/etc/ssl/api.example.com/privkey.pem', keyFile],
      ...(instancePorts.length > 1 ? ([['/run/devdata/', `${directory}/`]] as const) : []),
    ],
    haproxy: [
      ['bind :443 ', `bind 127.0.0.1:${port} `],
      ['/etc/haproxy/api.example.com.pem', bothFile],
      ['log /dev/log local0', 'log stderr format raw local0'],
      ['    user haproxy\n    group haproxy\n    chroot /var/lib/haproxy\n', ''],
    ],
    caddy: [
      [
        '\napi.example.com {',
        `\nhttps://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${certificateFile} ${keyFile}`,
      ],
    ],
  }
  /** What surrounds an example where it isn't a whole configuration. */
  const frames: Record<ProxyName, (example: string) => string> = {
    nginx: (example) =>
      `daemon off; pid ${directory}/nginx.pid; ${userInfo().uid === 0 ? 'user root;' : ''}
       events {}
       http { access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
         fastcgi_temp_path ${directory}/fastcgi; uwsgi_temp_path ${directory}/uwsgi; scgi_temp_path ${directory}/scgi;
         ${example} }`,
    haproxy: (example) => example,
    caddy: (example) => `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${example}`,
  }
  const commands: Record<ProxyName, string[]> = {
    nginx: [binary, '-e', 'stderr', '-p', directory, '-c', file],
    haproxy: [binary, '-db', '-f', file],
    caddy: [binary, 'run', '--adapter', 'caddyfile', '--config', file],
  }

  const example = await readProxyFile(name)
  const [first, second] = instancePorts
  const own = second === undefined ? example.replace(secondInstance[name], '') : example
  const instances: Replacements = [
    ['127.0.0.1:8001', `127.0.0.1:${first}`],
    ...(second === undefined ? [] : ([['127.0.0.1:8002', `127.0.0.1:${second}`]] as const)),
  ]
  await writeFile(file, adapt(frames[name](own), [...replacements[name], ...instances]))
  const program = await startProgram(commands[name], {
    directory,
    environment: { XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    announcement: /()/,
  })
  async function stop(): Promise<void> {
    await program.stop()
    await rm(directory, { recursive: true, force: true })
  }
  await waitForPort(port, program).catch(async (error) => {
    await stop()
    throw error
  })
  return {
    port,
    certificate,
    readOutput: program.readOutput,
    async use(ports) {
      if (name !== 'nginx') return
      for (const [index, port] of instancePorts.entries()) {
        const isOutFile = join(directory, `${8001 + index}.down`)
        if (ports.includes(port)) await rm(isOutFile, { force: true })
        else await writeFile(isOutFile, '')
      }
    },
    [Symbol.asyncDispose]: stop,
  }
}
