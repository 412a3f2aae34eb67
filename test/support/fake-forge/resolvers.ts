/**
 * What the fields of the schema give on the fake forge. Fields that are not here fail loudly, so that no test passes by
 * what the fake forge happens not to know.
 */
import type { ExecutionArgs } from 'graphql'
import {
  type Connection,
  countOnly,
  createConnection,
  createFixedConnection,
  type PageArguments,
  type SortKey,
} from './connection.ts'
import { createForgeError, NotModeledError } from './forge-error.ts'
import type { GitCommit, Head, Person } from './git-repository.ts'
import { type Account, type ForgeModel, nameWithOwner, type Repository } from './model.ts'

/** The budget as `rateLimit` shows it. */
export interface RateLimitObject {
  cost: number
  limit: number
  nodeCount: number
  remaining: number
  resetAt: string
  used: number
}

/** What a query is asked of. */
export interface QueryContext {
  model: ForgeModel
  /** `http://127.0.0.1:PORT` */
  origin: string
  rateLimit: RateLimitObject | null
  /** Whether the token may see private repositories. */
  seesPrivate: boolean
  /** The account of the token. */
  viewer: Account
}

/** A bot as the author of a commit: the schema has users there, so it looks like one. */
interface BotAuthor {
  kind: 'User'
  bot: Account
}
interface Ref {
  kind: 'Ref'
  repository: Repository
  head: Head
}
interface Commit {
  kind: 'Commit'
  repository: Repository
  oid: string
}
interface Actor {
  kind: 'GitActor'
  person: Person
}

type Arguments = Readonly<Record<string, unknown>> & PageArguments
/** The fields of a type whose objects are given as `Source`. */
type Fields<Source> = Record<string, (source: Source, args: Arguments, context: QueryContext) => unknown>

/** Fields that the source has under the same name. */
function plain<Source>(...names: (keyof Source & string)[]): Fields<Source> {
  return Object.fromEntries(names.map((name) => [name, (source: Source) => source[name]]))
}

/** Refuses arguments that the fake forge would ignore. */
function allow(args: Arguments, field: string, ...names: string[]): void {
  const page = ['first', 'after', 'last', 'before']
  const unknown = Object.keys(args).find((name) => args[name] != null && ![...names, ...page].includes(name))
  if (unknown !== undefined) throw new NotModeledError(`argument \`${unknown}\` of ${field}`)
}

function canSee(repository: Repository, { seesPrivate }: QueryContext): boolean {
  return seesPrivate || !repository.isPrivate
}

/** The repository, or the error in its place. */
function showRepository(repository: Repository): Repository | Error {
  return repository.isBlocked ? createForgeError('FORBIDDEN', 'Repository access blocked') : repository
}

function notFound(what: string): Error {
  return createForgeError('NOT_FOUND', `Could not resolve to ${what}.`)
}

function findNode(id: unknown, context: QueryContext): Account | Repository | Error {
  const node = context.model.findNode(String(id))
  if (node?.kind === 'Repository' && canSee(node, context)) return showRepository(node)
  if (node !== undefined && node.kind !== 'Repository') return node
  return notFound(`a node with the global id of '${id}'`)
}

const singleSignOnMessage =
  'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.'

const query: Fields<unknown> = {
  viewer: (_, __, { viewer }) => viewer,
  rateLimit: (_, __, { rateLimit }) => rateLimit,
  node: (_, { id }, context) => findNode(id, context),
  nodes: (_, { ids }, context) => (Array.isArray(ids) ? ids.map((id) => findNode(id, context)) : []),
  organization(_, { login }, { model }) {
    const found = model.findAccount(String(login))
    return found?.kind === 'Organization' ? found : notFound(`an Organization with the login of '${login}'`)
  },
  repositoryOwner(_, { login }, { model }) {
    const account = model.findAccount(String(login))
    if (account?.isProtected) return createForgeError('FORBIDDEN', singleSignOnMessage)
    return account?.kind === 'Bot' ? null : (account ?? null)
  },
  repository(_, { owner, name, followRenames }, context) {
    const repository = context.model.findRepository(String(owner), String(name))
    const isRenamed =
      repository && nameWithOwner(repository).toLowerCase() !== `${owner}/${name}`.toLowerCase()
    if (!repository || !canSee(repository, context) || (isRenamed && followRenames === false)) {
      return notFound(`a Repository with the name '${owner}/${name}'`)
    }
    return showRepository(repository)
  },
}

/** A version in the URL, as the forge has it, makes avatars change with their image. */
function avatarUrl({ databaseId }: Account, { size }: Arguments, { origin }: QueryContext): string {
  return `${origin}/avatars/u/${databaseId}?${size == null ? '' : `s=${size}&`}v=4`
}

const account: Fields<Account> = {
  ...plain<Account>(
    'id',
    'databaseId',
    'login',
    'name',
    'company',
    'location',
    'bio',
    'createdAt',
    'updatedAt',
  ),
  avatarUrl,
  repositories: (owner, args, context) => listRepositories(owner, args, context),
}

const user: Fields<Account | BotAuthor> = {
  ...Object.fromEntries(
    Object.entries(account).map(([name, resolve]) => [
      name,
      (source: Account | BotAuthor, args: Arguments, context: QueryContext) =>
        'bot' in source ? resolve(source.bot, args, context) : resolve(source, args, context),
    ]),
  ),
  login: (source) => ('bot' in source ? `${source.bot.login}[bot]` : source.login),
  email: (source) => ('bot' in source ? '' : source.email),
  followers: (source) => countOnly('bot' in source ? 0 : source.followerCount),
  following: (source) => countOnly('bot' in source ? 0 : source.followingCount),
}

const organization: Fields<Account> = {
  ...account,
  email: ({ email }) => (email === '' ? null : email),
  description: ({ bio }) => bio,
}

const bot: Fields<Account> = {
  ...plain<Account>('id', 'databaseId', 'login', 'createdAt', 'updatedAt'),
  avatarUrl,
}

/** The repositories of an account, and by default those that it collaborates on, as on the real forge. */
function listRepositories(owner: Account, args: Arguments, context: QueryContext): Connection<Repository> {
  allow(args, 'repositories', 'orderBy', 'ownerAffiliations')
  const { ownerAffiliations, orderBy } = args
  const affiliations = Array.isArray(ownerAffiliations) ? ownerAffiliations : ['OWNER', 'COLLABORATOR']
  const listed = context.model.repositories.filter(
    (repository) =>
      canSee(repository, context) &&
      ((affiliations.includes('OWNER') && repository.owner === owner) ||
        (affiliations.includes('COLLABORATOR') && repository.collaborators.includes(owner))),
  )
  const { field, direction }: { field?: unknown; direction?: unknown } = orderBy ?? {}
  if (field !== undefined && field !== 'CREATED_AT') throw new NotModeledError(`order by ${field}`)
  const keyOf = ({ createdAt, databaseId }: Repository): SortKey =>
    field === undefined ? [databaseId] : [createdAt, databaseId]
  return createConnection(listed, keyOf, args, showRepository, { descending: direction === 'DESC' })
}

function showVisibility({ isPrivate }: Repository): 'PUBLIC' | 'PRIVATE' {
  return isPrivate ? 'PRIVATE' : 'PUBLIC'
}

const repository: Fields<Repository> = {
  ...plain<Repository>(
    'id',
    'databaseId',
    'name',
    'owner',
    'description',
    'homepageUrl',
    'createdAt',
    'updatedAt',
  ),
  ...plain<Repository>(
    'pushedAt',
    'isPrivate',
    'isFork',
    'isArchived',
    'isDisabled',
    'forkCount',
    'stargazerCount',
  ),
  ...plain<Repository>('hasIssuesEnabled', 'hasDiscussionsEnabled', 'hasProjectsEnabled', 'diskUsage'),
  nameWithOwner,
  url: (source, _, { origin }) => `${origin}/${nameWithOwner(source)}`,
  visibility: showVisibility,
  licenseInfo: ({ license }) => (license === null ? null : { spdxId: license }),
  primaryLanguage: ({ language }) => (language === null ? null : { name: language }),
  watchers: ({ watcherCount }) => countOnly(watcherCount),
  issues(source, args) {
    allow(args, 'issues', 'states')
    const states = Array.isArray(args.states) ? args.states : ['OPEN', 'CLOSED']
    const open = states.includes('OPEN') ? source.openIssueCount : 0
    return countOnly(open + (states.includes('CLOSED') ? source.closedIssueCount : 0))
  },
  defaultBranchRef(source): Ref | null {
    const head = source.git.readHead()
    return head === undefined ? null : { kind: 'Ref', repository: source, head }
  },
  async object(source, args): Promise<Commit | null> {
    allow(args, 'object', 'oid')
    const oid = String(args.oid)
    const commit = /^[0-9a-f]{40}$/.test(oid) ? await source.git.findCommit(oid) : undefined
    return commit === undefined ? null : showCommit(source, commit.oid)
  },
}

const ref: Fields<Ref> = {
  name: ({ head }) => head.branch,
  target: ({ repository, head }) => showCommit(repository, head.oid),
}

const coAuthorLine = /^co-authored-by:\s*([^<\n]*?)\s*<([^>\n]+)>\s*$/gim

/** The author, and those that the message names. */
function listAuthors({ author, message }: GitCommit): Actor[] {
  const others = [...message.matchAll(coAuthorLine)].map(([, name = '', email = '']) => ({ name, email }))
  return [author, ...others].map((person) => ({ kind: 'GitActor', person }))
}

/** Read when they are asked for: pages of repositories only need hashes. */
async function readAuthors({ repository, oid }: Commit): Promise<Actor[]> {
  const commit = await repository.git.findCommit(oid)
  return commit === undefined ? [] : listAuthors(commit)
}

const commit: Fields<Commit> = {
  ...plain<Commit>('oid'),
  author: async (source) => (await readAuthors(source))[0] ?? null,
  authors: async (source, args) => createFixedConnection(await readAuthors(source), args, (author) => author),
}

function showCommit(repository: Repository, oid: string): Commit {
  return { kind: 'Commit', repository, oid }
}

const gitActor: Fields<Actor> = {
  name: ({ person }) => person.name,
  email: ({ person }) => person.email,
  user({ person }, _, { model }): Account | BotAuthor | null {
    const author = model.findAuthor(person.email)
    if (author?.kind === 'Bot') return { kind: 'User', bot: author }
    return author?.kind === 'User' ? author : null
  },
}

const types: Record<string, Fields<never>> = {
  Query: query,
  User: user,
  Organization: organization,
  Bot: bot,
  Repository: repository,
  Ref: ref,
  Commit: commit,
  GitActor: gitActor,
}

/** Resolves a field: by the tables above, or as a property of what they gave. */
export const resolveField: NonNullable<ExecutionArgs['fieldResolver']> = (source, args, context, info) => {
  const { name } = info.parentType
  const resolve = types[name]?.[info.fieldName]
  if (resolve !== undefined) return resolve(source as never, args, context)
  const isPlain = types[name] === undefined && typeof source === 'object' && source !== null
  if (isPlain && info.fieldName in source) return source[info.fieldName]
  throw new NotModeledError(`field ${name}.${info.fieldName}`)
}

/** Tells the types of an interface or a union apart. */
export const resolveType: NonNullable<ExecutionArgs['typeResolver']> = (source) =>
  typeof source === 'object' && source !== null && 'kind' in source ? String(source.kind) : undefined
