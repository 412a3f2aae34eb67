/**
 * What each version of a dataset added, changed, and gave to items, computed from the records before and after it by plain
 * loops straight from decisions/0003-lists.md. It shares no code with the service, so that the two can be held against each other.
 */
import type { SampleDependency } from '../../sample/records.ts'
import {
  type DatedUse,
  findContributions,
  findDatedUses,
  findFirstUse,
  findLastCommits,
  findLastUse,
  type Loaded,
} from './uses.ts'

/** What one version did to an item, or several did. */
interface Change {
  /** It was added or changed. */
  isChanged: boolean
  /** The same, or it gained something that a filter can ask. */
  isNew: boolean
  /** It lost a dependency. */
  hasLost: boolean
  /**
   * Somebody who contributes or contributed to it has another record, or what they contributed to: it may have gained a name. Or an
   * unknown date is known to be later.
   */
  mayBeNew: boolean
}

interface ItemState {
  document: string
  uses: ReadonlySet<string>
  /** With the dates of each, as filters compare them. */
  dates: ReadonlySet<string>
  /** With all that decides their dates. */
  ways: ReadonlySet<string>
  /** The ids of those on the other side of its contributions. */
  contributions: ReadonlySet<number>
  lastCommit: number
}

type State = Record<'users' | 'repositories', ReadonlyMap<number, ItemState>>

/** Follows a dataset from version to version. */
export class ChangeLog {
  #state: State = { users: new Map(), repositories: new Map() }
  readonly #versions: { version: number; users: Map<number, Change>; repositories: Map<number, Change> }[] =
    []

  /** The versions since which changes are known. */
  get versions(): number[] {
    return [0, ...this.#versions.map(({ version }) => version)]
  }

  /** Notes what there is at a version. Call it at each. */
  note(version: number, loaded: Loaded): void {
    const before = this.#state
    const after = readState(loaded)
    const users = compare(before.users, after.users)
    const repositories = compare(before.repositories, after.repositories)
    for (const { users: authors, repositories: written } of [before, after]) {
      markNames(users, authors, repositories)
      markNames(repositories, written, users)
    }
    this.#state = after
    this.#versions.push({ version, users, repositories })
  }

  /** What all versions after this one did to an item. */
  since(version: number, list: 'users' | 'repositories', id: number): Change {
    const changes = this.#versions.flatMap((each) =>
      each.version > version ? (each[list].get(id) ?? []) : [],
    )
    return {
      isChanged: changes.some(({ isChanged }) => isChanged),
      isNew: changes.some(({ isNew }) => isNew),
      hasLost: changes.some(({ hasLost }) => hasLost),
      mayBeNew: changes.some(({ mayBeNew }) => mayBeNew),
    }
  }
}

function readState(loaded: Loaded): State {
  const uses = findDatedUses(loaded)
  const lastCommits = findLastCommits(loaded)
  const contributions = findContributions(loaded)
  const idsByUrl = new Map(loaded.repositories.map(({ url, forge_rest_id: id }) => [url, id]))
  const contributors = new Map<number, Set<number>>()
  const users = loaded.users.map((user): [number, ItemState] => {
    const ids = [...(contributions.get(user) ?? [])].flatMap((url) => idsByUrl.get(url) ?? [])
    for (const id of ids) contributors.set(id, (contributors.get(id) ?? new Set()).add(user.forge_rest_id))
    return [
      user.forge_rest_id,
      {
        document: JSON.stringify(user),
        ...describeUses(uses.get(user) ?? []),
        contributions: new Set(ids),
        lastCommit: lastCommits.get(user) ?? Number.NEGATIVE_INFINITY,
      },
    ]
  })
  const repositories = loaded.repositories.map((repository): [number, ItemState] => [
    repository.forge_rest_id,
    {
      document: JSON.stringify({ ...repository, dependencies: repository.dependencies.map(writeUse).sort() }),
      uses: new Set(repository.dependencies.map(nameUse)),
      dates: new Set(), // a change of these is one of the repository
      ways: new Set(),
      contributions: contributors.get(repository.forge_rest_id) ?? new Set(),
      lastCommit: Number.NEGATIVE_INFINITY,
    },
  ])
  return { users: new Map(users), repositories: new Map(repositories) }
}

const nameUse = ({ dependency, status }: SampleDependency) =>
  JSON.stringify([dependency.dependency_name, dependency.dependency_file, status])
const writeUse = ({ added_commit_hash: _a, removed_commit_hash: _r, ...use }: SampleDependency) =>
  JSON.stringify(Object.entries(use).sort())

function describeUses(uses: readonly DatedUse[]): Pick<ItemState, 'uses' | 'dates' | 'ways'> {
  const byName = Map.groupBy(uses, ({ dependency }) => nameUse(dependency))
  return {
    uses: new Set(byName.keys()),
    dates: new Set(
      Array.from(byName, ([name, ofName]) =>
        JSON.stringify([name, findFirstUse(ofName), findLastUse(ofName)]),
      ),
    ),
    ways: new Set(uses.map((use) => JSON.stringify(use))),
  }
}

function compare(
  before: ReadonlyMap<number, ItemState>,
  after: ReadonlyMap<number, ItemState>,
): Map<number, Change> {
  return new Map(
    Array.from(after, ([id, item]) => {
      const old = before.get(id)
      const isChanged = old === undefined || old.document !== item.document
      const isNew =
        isChanged ||
        hasOthers(item.uses, old.uses) ||
        hasOthers(item.dates, old.dates) ||
        hasOthers(item.contributions, old.contributions) ||
        item.lastCommit > old.lastCommit
      const hasLost = old !== undefined && hasOthers(old.uses, item.uses)
      const mayBeNew = old !== undefined && hasOthers(item.ways, old.ways)
      return [id, { isChanged, isNew, hasLost, mayBeNew }]
    }),
  )
}

const hasOthers = <Value>(values: ReadonlySet<Value>, others: ReadonlySet<Value>) =>
  [...values].some((value) => !others.has(value))

/** Marks items whose contributions are with somebody, or something, that is new or has another record. */
function markNames(
  changes: Map<number, Change>,
  items: ReadonlyMap<number, ItemState>,
  others: ReadonlyMap<number, Change>,
): void {
  for (const [id, change] of changes) {
    const ids = items.get(id)?.contributions ?? new Set<number>()
    if ([...ids].some((other) => others.get(other)?.isChanged)) change.mayBeNew = true
  }
}
