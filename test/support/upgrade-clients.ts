/** Clients of a service that is upgraded: each pages through all users or looks things up, one request after the other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Forge, nameDependency, nameUser } from '../../bench/records.ts'

const pauseMs = 10

/** A response, or what came instead. */
export interface TimedResponse {
  startedAt: number
  endedAt: number
}

/** What a client received, what that cost as the responses say, and its balance in the end. */
export interface Account {
  items: number
  cost: number
  left: number
}

/** Clients that run. */
export interface UpgradeClients {
  /** Requests a filter that 0.1.0 doesn't have, and returns the status. */
  askNewFilter(): Promise<number>
  /** Ends them, and says what they saw. Faults are statuses other than 200, broken responses and gaps. */
  stop(): Promise<{ responses: TimedResponse[]; faults: string[]; accounts: Account[] }>
}

/** Starts a client for each key, on the data that the bench makes. */
export function startUpgradeClients(url: string, { users }: Forge, keys: readonly string[]): UpgradeClients {
  const responses: TimedResponse[] = []
  const faults: string[] = []
  let isOver = false

  const fetchFor = (key: string, path: string) =>
    fetch(new URL(path, url), { headers: { Authorization: `Bearer ${key}` } })

  /** Returns undefined if it failed. */
  async function ask(key: string, account: Account, path: string) {
    const startedAt = performance.now()
    try {
      const response = await fetchFor(key, path)
      const body = await response.json()
      if (response.status !== 200) throw new Error(`${response.status} ${body.error}`)
      account.items += body.data?.length ?? 1
      account.cost += Number(response.headers.get('X-Credits-Cost'))
      return { body, next: /<([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1] }
    } catch (error) {
      faults.push(`${path}: ${error}`)
      return undefined
    } finally {
      responses.push({ startedAt, endedAt: performance.now() })
    }
  }

  /** From the first page to the last, and again. Each user comes once, in the order in which they were loaded. */
  async function page(key: string, account: Account): Promise<void> {
    let number = 0
    for (let path: string | undefined = '/users?per_page=100'; !isOver; await sleep(pauseMs)) {
      const response = await ask(key, account, path ?? '/users?per_page=100')
      if (response === undefined) continue
      for (const { login } of response.body.data) {
        number++
        if (login !== nameUser(number)) faults.push(`${path}: ${login} in place of ${nameUser(number)}`)
      }
      path = response.next
      if (path !== undefined) continue
      if (number !== users) faults.push(`the list ended with user ${number} of ${users}`)
      number = 0
    }
  }

  /** Look-ups, and filters that nobody has used yet. */
  async function lookUp(key: string, account: Account): Promise<void> {
    for (let number = 1; !isOver; number++) {
      const name = nameDependency(1 + (number % 1_000))
      for (const path of [
        `/users/${nameUser(1 + (number % users))}`,
        `/users?location=${number}&per_page=5`,
        `/repos?dependency_names=${name}&per_page=5`,
      ]) {
        if (isOver) return
        await ask(key, account, path)
        await sleep(pauseMs)
      }
    }
  }

  const running = keys.map(async (key, index) => {
    const account = { items: 0, cost: 0, left: 0 }
    await (index % 2 === 0 ? page : lookUp)(key, account)
    account.left = (await (await fetchFor(key, '/api-key/credits')).json()).remaining_credits
    return account
  })
  const [first = ''] = keys
  return {
    async askNewFilter() {
      const response = await fetchFor(first, '/repos?min_forks=1000000000')
      await response.arrayBuffer()
      return response.status
    },
    async stop() {
      isOver = true
      const accounts = await Promise.all(running)
      return { responses, faults, accounts }
    },
  }
}
