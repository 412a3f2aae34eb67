/** The clones of the fake forge: git's smart HTTP by `git http-backend`, for those who may see the repository. */
import { spawn } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GitFault } from './faults.ts'
import { gitEnvironment } from './git-repository.ts'
import { nameWithOwner, type Repository } from './model.ts'
import type { ForgeState } from './state.ts'

const gitPath =
  /^\/(?<owner>[^/]+)\/(?<name>[^/]+?)(?:\.git)?\/(?<service>info\/refs|git-upload-pack|git-receive-pack)$/

/** Whether git asks for something at this path. */
export function isGitPath(path: string): boolean {
  return gitPath.test(path)
}

/** Responds to a request of git. */
export function respondToGit(
  state: ForgeState,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): void {
  const { owner = '', name = '', service = '' } = gitPath.exec(decodeURIComponent(url.pathname))?.groups ?? {}
  const token = readToken(request.headers.authorization)
  const what = `${owner}/${name} ${service}`
  response.once('finish', () => {
    state.requests.push({ kind: 'git', what, token, status: response.statusCode, points: 0 })
  })
  const repository = state.model.findRepository(owner, name)
  const refusal = findRefusal(state, { owner, name, service, token, search: url.search })
  if (refusal !== undefined || repository === undefined) {
    const { status = 404, message, headers } = refusal ?? {}
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(message)
    return
  }
  const fault = state.gitFaults.take()
  if (fault === 'reset') request.socket.resetAndDestroy()
  else if (fault === 'bad gateway') response.writeHead(502).end('Bad Gateway')
  else if (fault === 'too many requests') response.writeHead(429).end('Too Many Requests')
  else if (fault === 'service unavailable') response.writeHead(503).end('Service Unavailable')
  else if (fault !== 'silence') runBackend(repository, service, request, response, url, fault)
}

/** Why the forge gives nothing, or only another URL. */
function findRefusal(
  { model, origin, tokens }: ForgeState,
  {
    owner,
    name,
    service,
    token,
    search,
  }: Record<'owner' | 'name' | 'service' | 'search', string> & {
    token: string | undefined
  },
): { status: number; message: string; headers?: Record<string, string> } | undefined {
  const account = token === undefined ? undefined : tokens.get(token)
  const headers = { 'www-authenticate': 'Basic realm="GitHub"' }
  if (token !== undefined && (account === undefined || account.isRevoked)) {
    return { status: 401, message: 'Invalid username or token.', headers }
  }
  const repository = model.findRepository(owner, name)
  if (repository === undefined || (repository.isPrivate && !account?.seesPrivate)) {
    // Without a token nobody is told what exists.
    const message = 'Repository not found.'
    return account === undefined ? { status: 401, message, headers } : { status: 404, message }
  }
  if (repository.isBlocked) return { status: 451, message: 'Repository unavailable due to DMCA takedown.' }
  if (repository.isDisabled) {
    return { status: 403, message: 'Access to this repository has been disabled by GitHub staff.' }
  }
  if (`${owner}/${name}`.toLowerCase() !== nameWithOwner(repository).toLowerCase()) {
    const location = `${origin}/${nameWithOwner(repository)}.git/${service}${search}`
    return { status: 301, message: '', headers: { location } }
  }
  if (`${service}${search}`.includes('git-receive-pack')) {
    return { status: 403, message: 'The fake forge takes no pushes.' }
  }
  return undefined
}

/** git sends a token as a password, and other clients as a bearer token. */
function readToken(authorization = ''): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+) (.*)$/.exec(authorization) ?? []
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value
  const decoded = Buffer.from(value, 'base64').toString()
  return decoded.slice(decoded.indexOf(':') + 1)
}

/** Runs `git http-backend`, a CGI program: its input is the request's body, its output headers and the body. */
function runBackend(
  { git }: Repository,
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  fault: GitFault | null,
): void {
  const { headers, method = 'GET' } = request
  const header = (name: string) => headers[name]?.toString() ?? ''
  const backend = spawn('git', ['http-backend'], {
    env: {
      ...gitEnvironment,
      GIT_PROJECT_ROOT: git.path,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${service}`,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
      ...(headers['content-length'] !== undefined && { CONTENT_LENGTH: headers['content-length'] }),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  // Clients and programs end when they like.
  backend.stdin.on('error', () => {})
  backend.once('error', () => response.destroy())
  response.once('close', () => backend.kill())
  request.pipe(backend.stdin)

  let head = Buffer.alloc(0)
  backend.stdout.on('data', function readHead(chunk: Buffer) {
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    backend.stdout.off('data', readHead)
    const lines = head.subarray(0, end).toString().split('\r\n')
    const fields = lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
    const status = fields.find(([name]) => name === 'status')?.[1] ?? '200'
    response.writeHead(
      Number.parseInt(status, 10),
      Object.fromEntries(fields.filter(([name]) => name !== 'status')),
    )
    const body = head.subarray(end + 4)
    if (fault === 'cut body') {
      response.write(body.subarray(0, body.length / 2), () => response.destroy())
      return
    }
    response.write(body)
    backend.stdout.pipe(response)
  })
  backend.stdout.once('end', () => {
    if (!response.headersSent) response.destroy()
  })
}
