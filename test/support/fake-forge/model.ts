/**
 * What is on the fake forge: accounts, and repositories over real git repositories. Tests change it as a forge changes:
 * by assignment, or with the methods of {@link ForgeModel} where something else follows from a change.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { GitRepository, type NewCommit } from './git-repository.ts'

/** The host of the no-reply addresses. */
export const noReplyHost = 'users.noreply.github.com'

/** Times are formatted like the forge's: `2024-05-01T12:00:00Z`. */
interface Dates {
  createdAt: string
  updatedAt: string
}

/** An account. A bot's login is without `[bot]`. */
export interface Account extends Dates {
  readonly kind: 'User' | 'Organization' | 'Bot'
  readonly databaseId: number
  readonly id: string
  login: string
  name: string | null
  /** The address in the profile; empty when there is none. */
  email: string
  company: string | null
  location: string | null
  bio: string | null
  followerCount: number
  followingCount: number
  /** Whether its repositories are refused to tokens that its single sign-on doesn't know. */
  isProtected: boolean
}

/** What to make an account from; the rest has plain defaults. */
export type NewAccount = Pick<Account, 'login'> &
  Partial<Omit<Account, 'databaseId' | 'id' | 'login'>> & {
    /** Addresses that the account confirmed: commits under them are its. The address of the profile is one of them. */
    addresses?: readonly string[]
  }

/** A repository. */
export interface Repository extends Dates {
  readonly kind: 'Repository'
  readonly databaseId: number
  readonly id: string
  readonly git: GitRepository
  name: string
  owner: Account
  description: string | null
  homepageUrl: string | null
  /** The SPDX id of the license. */
  license: string | null
  language: string | null
  isPrivate: boolean
  isFork: boolean
  isArchived: boolean
  /** Taken down by the forge: still listed, never cloned. */
  isDisabled: boolean
  /** Taken down for legal reasons: neither listed nor cloned. */
  isBlocked: boolean
  hasIssuesEnabled: boolean
  hasDiscussionsEnabled: boolean
  hasProjectsEnabled: boolean
  forkCount: number
  stargazerCount: number
  watcherCount: number
  openIssueCount: number
  closedIssueCount: number
  /** In KB. */
  diskUsage: number
  pushedAt: string | null
  /** Accounts that may push to it, besides its owner. */
  collaborators: Account[]
}

/** What to make a repository from; the rest has plain defaults. */
export type NewRepository = Pick<Repository, 'name' | 'owner'> &
  Partial<Omit<Repository, 'kind' | 'databaseId' | 'id' | 'git' | 'name' | 'owner'>> & { branch?: string }

/** A moment as the forge writes it. From Unix seconds. */
export function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
}

/** `owner/name` */
export function nameWithOwner({ owner, name }: Pick<Repository, 'owner' | 'name'>): string {
  return `${owner.login}/${name}`
}

const idPrefixes = { User: 'U', Organization: 'O', Bot: 'BOT', Repository: 'R' }

/** A global id in the form that the forge gives since 2022: a prefix, and bytes that have the number. */
function makeNodeId(kind: keyof typeof idPrefixes, databaseId: number): string {
  const bytes = Buffer.from([0x92, 0x00, 0xce, 0, 0, 0, 0])
  bytes.writeUInt32BE(databaseId, 3)
  return `${idPrefixes[kind]}_${bytes.toString('base64url')}`
}

/** Everything on the forge. */
export class ForgeModel {
  readonly folder: string
  readonly accounts: Account[] = []
  readonly repositories: Repository[] = []
  readonly #byAddress = new Map<string, Account>()
  /** Repositories by the names that they once had, in lower case. */
  readonly #formerNames = new Map<string, Repository>()
  #lastId = 1000

  /** The git repositories are made in the folder. */
  constructor(folder: string) {
    this.folder = folder
  }

  /** Ids have gaps, as on a forge with more on it. */
  #nextId(): number {
    this.#lastId += 7
    return this.#lastId
  }

  addAccount({ addresses = [], ...given }: NewAccount): Account {
    const kind = given.kind ?? 'User'
    const databaseId = this.#nextId()
    const account: Account = {
      kind,
      databaseId,
      id: makeNodeId(kind, databaseId),
      name: null,
      email: '',
      company: null,
      location: null,
      bio: null,
      followerCount: 0,
      followingCount: 0,
      isProtected: false,
      createdAt: formatTime(1_500_000_000),
      updatedAt: formatTime(1_700_000_000),
      ...given,
    }
    this.accounts.push(account)
    for (const address of [account.email, ...addresses]) this.addAddress(account, address)
    return account
  }

  /** Adds an address that the account confirmed. */
  addAddress(account: Account, address: string): void {
    if (address !== '') this.#byAddress.set(address.toLowerCase(), account)
  }

  /** Deletes an account, with its repositories. Its commits name nobody from now on. */
  deleteAccount(account: Account): void {
    for (const repository of this.repositories.filter(({ owner }) => owner === account)) {
      this.deleteRepository(repository)
    }
    remove(this.accounts, account)
    for (const [address, owner] of this.#byAddress) if (owner === account) this.#byAddress.delete(address)
    for (const { collaborators } of this.repositories) remove(collaborators, account)
  }

  /** Gives an account another login. Its repositories are still found under the old one. */
  renameAccount(account: Account, login: string): void {
    for (const repository of this.repositories) {
      if (repository.owner === account) this.#remember(repository)
    }
    account.login = login
  }

  /** Adds a repository without commits. */
  addRepository({ branch, ...given }: NewRepository): Repository {
    const databaseId = this.#nextId()
    const repository: Repository = {
      kind: 'Repository',
      databaseId,
      id: makeNodeId('Repository', databaseId),
      git: new GitRepository(join(this.folder, `${databaseId}.git`), branch),
      description: null,
      homepageUrl: null,
      license: null,
      language: null,
      isPrivate: false,
      isFork: false,
      isArchived: false,
      isDisabled: false,
      isBlocked: false,
      hasIssuesEnabled: true,
      hasDiscussionsEnabled: false,
      hasProjectsEnabled: true,
      forkCount: 0,
      stargazerCount: 0,
      watcherCount: 0,
      openIssueCount: 0,
      closedIssueCount: 0,
      diskUsage: 0,
      createdAt: formatTime(1_600_000_000),
      updatedAt: formatTime(1_600_000_000),
      pushedAt: null,
      collaborators: [],
      ...given,
    }
    this.repositories.push(repository)
    return repository
  }

  /** Adds commits to the default branch. The repository was pushed to when the last of them was committed. */
  async push(repository: Repository, commits: readonly NewCommit[]): Promise<void> {
    const last = commits.at(-1)
    if (last === undefined) return
    await repository.git.append(commits)
    repository.pushedAt = formatTime(last.committerDate ?? last.date)
    repository.updatedAt = repository.pushedAt
  }

  /** Gives a repository another name, another owner, or both. It is still found under the old name. */
  moveRepository(repository: Repository, to: Partial<Pick<Repository, 'name' | 'owner'>>): void {
    this.#remember(repository)
    Object.assign(repository, to)
  }

  deleteRepository(repository: Repository): void {
    remove(this.repositories, repository)
    for (const [name, moved] of this.#formerNames) if (moved === repository) this.#formerNames.delete(name)
    rmSync(repository.git.path, { recursive: true, force: true })
  }

  #remember(repository: Repository): void {
    this.#formerNames.set(nameWithOwner(repository).toLowerCase(), repository)
  }

  findAccount(login: string): Account | undefined {
    return this.accounts.find((account) => account.login.toLowerCase() === login.toLowerCase())
  }

  /** The repository of that name, or else the one that had it before. */
  findRepository(owner: string, name: string): Repository | undefined {
    const wanted = `${owner}/${name}`.toLowerCase()
    const named = this.repositories.find((repository) => nameWithOwner(repository).toLowerCase() === wanted)
    return named ?? this.#formerNames.get(wanted)
  }

  findNode(id: string): Account | Repository | undefined {
    return (
      this.accounts.find((account) => account.id === id) ??
      this.repositories.find((repository) => repository.id === id)
    )
  }

  /** The account that a commit's address names: one that confirmed it, or the one that a no-reply address is of. */
  findAuthor(address: string): Account | undefined {
    const key = address.toLowerCase()
    const known = this.#byAddress.get(key)
    if (known !== undefined || !key.endsWith(`@${noReplyHost}`)) return known
    const [, id, login = ''] = /^(?:(\d+)\+)?([^@]*)@/.exec(key) ?? []
    return this.accounts.find((account) =>
      id === undefined ? account.login.toLowerCase() === login : account.databaseId === Number(id),
    )
  }
}

function remove<Item>(items: Item[], item: Item): void {
  const index = items.indexOf(item)
  if (index >= 0) items.splice(index, 1)
}

/** The address under which the forge commits for an account that shows none. */
export function noReplyAddress({ databaseId, login, kind }: Account): string {
  return `${databaseId}+${login}${kind === 'Bot' ? '[bot]' : ''}@${noReplyHost}`
}
