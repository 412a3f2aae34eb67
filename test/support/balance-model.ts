/**
 * The responses that clients and operators can get if all requests run one after another, and a search for an order of
 * concurrent requests that explains the responses (linearizability, after Wing and Gong).
 */

/** A request about one key. */
export type Request =
  | KeyRequest
  /** An operator's grant; negative when credits are to be taken away. Null: without a reference. */
  | { kind: 'grant'; credits: number; reference: string | null }
  | { kind: 'revoke' }
  | { kind: 'restore' }
  /** The dataset gets a new version. */
  | { kind: 'load' }
  /** Time passes; negative when the clock is set back. In a history all of these have the same sign. */
  | { kind: 'clock'; minutes: number }
  /** Idempotency keys that no longer count are deleted, of all API keys. */
  | { kind: 'sweep' }

/** What its bearer asks. */
export type KeyRequest =
  | MeteredRequest
  /** `HEAD`: what the response would cost. */
  | { kind: 'quote'; cost: number; served: number }
  /** `GET /api-key/credits` */
  | { kind: 'balance' }

/** `GET` of something that costs credits. */
export interface MeteredRequest {
  kind: 'get'
  /** What an idempotency key is bound to. */
  path: string
  /** In credits. */
  cost: number
  /** The status when all is well: 200, or the contract's paid 404. */
  served: number
  /** `Max-Credits` */
  most: number | null
  /** `Idempotency-Key` */
  idempotencyKey: string | null
}

/** What a response says. Null: it does not say it. */
export interface Told {
  /** HTTP status; for operators 200 when it was done, and 409 when it was refused. */
  status: number
  /** `X-Credits-Cost` */
  cost: number | null
  /** The balance, in credits. */
  balance: number | null
  /** `X-RateLimit-Remaining` */
  places: number | null
  /** `Idempotency-Replayed`; of a grant, whether it was done before under its reference. */
  isReplayed: boolean
  /** Message of an error. */
  error: string | null
}

/** One request and its response. Times are of a clock that ticks at each beginning and each end. */
export interface Operation {
  request: Request
  told: Told
  begin: number
  end: number
}

/** All that happened to one key. */
export interface History {
  /** In credits, at the start. */
  balance: number
  /** Requests that its rate limit lets pass; null: no limit. No window ends within a history. */
  limit: number | null
  operations: readonly Operation[]
}

interface State {
  balance: number
  isRevoked: boolean
  /** Requests that counted against the limit. */
  used: number
  /** By reference, in credits. */
  granted: Readonly<Record<string, number>>
  /** Loads so far. */
  version: number
  /** On the clock. */
  minutes: number
  /** By idempotency key. */
  paid: Readonly<Record<string, Payment>>
  /** Balances since the limit was used up: an instance may tell one of these for a second, without asking. */
  balancesWhenFull: readonly number[]
}

/** What was paid under an idempotency key. */
interface Payment {
  /** The path that it is bound to. */
  path: string
  /** By all payments. */
  credits: number
  /** Of the dataset, at the first payment. */
  version: number
  /** On the clock, at the first payment. */
  minutes: number
}

const startState: Omit<State, 'balance'> = {
  isRevoked: false,
  used: 0,
  granted: {},
  version: 0,
  minutes: 0,
  paid: {},
  balancesWhenFull: [],
}

/**
 * Finds an order of the operations, consistent with time (what ended before another began comes before it), that
 * explains every response. Undefined: there is none.
 */
export function explainHistory({ balance, limit, operations }: History): number[] | undefined {
  if (operations.length > 30) throw new Error('a history is at most 30 operations long')
  const all = 2 ** operations.length - 1
  const hopeless = new Set<string>()
  /** A request sees a version that was the dataset's after its beginning: the one before a concurrent load, or a later one. */
  const firstVersions = operations.map(
    ({ begin }) => operations.filter(({ request, end }) => request.kind === 'load' && end < begin).length,
  )

  function search(done: number, state: State): number[] | undefined {
    if (done === all) return []
    const name = `${done} ${JSON.stringify(state)}`
    if (hopeless.has(name)) return undefined
    const open = [...operations.entries()].filter(([index]) => (done & (1 << index)) === 0)
    const firstEnd = Math.min(...open.map(([, { end }]) => end))
    for (const [index, operation] of open) {
      if (operation.begin > firstEnd) continue // something else was over before it began
      for (let version = firstVersions[index] ?? 0; version <= state.version; version++) {
        const next = take(state, operation, limit, version)
        const rest = next && search(done | (1 << index), next)
        if (rest !== undefined) return [index, ...rest]
      }
    }
    hopeless.add(name)
    return undefined
  }

  return search(0, { ...startState, balance })
}

/** What is true after an operation that sees a version; undefined when nobody may be told so in this state. */
function take(
  state: State,
  { request, told }: Operation,
  limit: number | null,
  version: number,
): State | undefined {
  switch (request.kind) {
    case 'revoke':
      return { ...state, isRevoked: true }
    case 'restore':
      return { ...state, isRevoked: false }
    case 'load':
      return { ...state, version: state.version + 1 }
    case 'clock':
      return { ...state, minutes: state.minutes + request.minutes }
    case 'sweep':
      return state // what is deleted doesn't count
    case 'grant': {
      const { credits, reference } = request
      const earlier = reference === null ? undefined : state.granted[reference]
      if (earlier !== undefined) {
        const isTrue = told.isReplayed ? earlier === credits : told.status === 409 && earlier !== credits
        return isTrue ? state : undefined
      }
      const balance = state.balance + credits
      if (told.isReplayed || (told.status === 200) !== balance >= 0) return undefined
      if (told.status !== 200) return state
      const granted = reference === null ? state.granted : { ...state.granted, [reference]: credits }
      return withBalance({ ...state, granted }, balance, limit)
    }
    default:
      return takeRequest(state, request, told, limit, version)
  }
}

function takeRequest(
  state: State,
  request: KeyRequest,
  told: Told,
  limit: number | null,
  version: number,
): State | undefined {
  const isFull = limit !== null && state.used >= limit
  if (told.status === 429) {
    const isTrue =
      isFull && told.balance !== null && state.balancesWhenFull.includes(told.balance) && told.places === 0
    return isTrue && told.cost === 0 ? state : undefined
  }
  if (state.isRevoked) {
    return told.status === 401 && told.cost === null && told.balance === null ? state : undefined
  }
  if (isFull) return undefined
  const used = limit === null ? 0 : state.used + 1
  if (told.places !== (limit === null ? null : limit - used)) return undefined

  const due = decide(state, request, version)
  const after = state.balance - due.charged
  const isExplained =
    told.status === due.status &&
    told.cost === due.cost &&
    told.balance === after &&
    told.isReplayed === due.isReplayed &&
    (due.error === undefined || told.error === due.error)
  if (!isExplained) return undefined
  const key = request.kind === 'get' && due.charged > 0 ? request.idempotencyKey : null
  if (request.kind !== 'get' || key === null) return withBalance({ ...state, used }, after, limit)
  const { path } = request
  const first = findPayment(state, key, version) ?? { path, credits: 0, version, minutes: state.minutes }
  const paid = { ...state.paid, [key]: { ...first, credits: first.credits + due.charged } }
  return withBalance({ ...state, used, paid }, after, limit)
}

interface Due {
  status: number
  /** What `X-Credits-Cost` says. */
  cost: number
  charged: number
  isReplayed: boolean
  /** Undefined: whatever it says. */
  error?: string
}

/** How long a payment counts, while the dataset stays the same, and once it has changed. */
const minutesUnchanged = 24 * 60
const minutesChanged = 60

/** What counts as paid under an idempotency key. */
function findPayment({ paid, minutes }: State, key: string, version: number): Payment | undefined {
  const payment = paid[key]
  if (payment === undefined) return undefined
  const counts = payment.version === version ? minutesUnchanged : minutesChanged
  return Math.abs(minutes - payment.minutes) < counts ? payment : undefined
}

function decide(state: State, request: KeyRequest, version: number): Due {
  const free: Due = { status: 200, cost: 0, charged: 0, isReplayed: false }
  if (request.kind === 'balance') return free
  const { served } = request
  if (request.kind === 'quote') {
    const isRefused = request.cost > 0 && state.balance === 0
    return { ...free, status: isRefused ? 403 : served, cost: request.cost }
  }
  const { path, most, idempotencyKey } = request
  const paid = idempotencyKey === null ? undefined : findPayment(state, idempotencyKey, version)
  if (paid !== undefined && paid.path !== path) return { ...free, status: 422 }
  const cost = Math.max(0, request.cost - (paid?.credits ?? 0))
  if (most !== null && cost > most) {
    return { ...free, status: 403, error: `Max-Credits is ${most}, but this request costs ${cost}` }
  }
  if (cost > state.balance) {
    return { ...free, status: 403, error: `insufficient credits: need ${cost}, have ${state.balance}` }
  }
  return { ...free, status: served, cost, charged: cost, isReplayed: paid !== undefined }
}

function withBalance(state: State, balance: number, limit: number | null): State {
  const isFull = limit !== null && state.used >= limit
  const { balancesWhenFull } = state
  return {
    ...state,
    balance,
    balancesWhenFull:
      isFull && !balancesWhenFull.includes(balance) ? [...balancesWhenFull, balance] : balancesWhenFull,
  }
}

/** A history as a person reads it, in the order of beginnings. */
export function describeHistory({ balance, limit, operations }: History): string {
  const lines = [...operations]
    .sort((a, b) => a.begin - b.begin)
    .map(
      ({ request, told, begin, end }) =>
        `${begin}–${end} ${JSON.stringify(request)} → ${JSON.stringify(told)}`,
    )
  return [`balance ${balance}, limit ${limit}`, ...lines].join('\n')
}
