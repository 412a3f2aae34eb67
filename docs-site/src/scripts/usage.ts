/** A key's usage, as `/api-key/usage` and `/api-key/usage/days` return it. */
import type { CreditStatus, UsageSum } from '../../../client/src/types.ts'
import { type ApiResponse, readError, sendRequest } from './api-request.ts'

/** A page of a list, with the path of the next one. */
export interface UsagePage<Item> {
  items: Item[]
  total: number
  next: string | undefined
}

/** An error response, with its message. */
export class UsageError extends Error {
  override name = 'UsageError'
}

const maxWaitSeconds = 10

/** Waits once for a rate limit, if that isn't long. */
async function requestOk(path: string, key: string, isRepeated = false): Promise<ApiResponse> {
  const response = await sendRequest({ method: 'GET', path, key }).catch(() => {
    throw new UsageError('The API is unreachable.')
  })
  const seconds = Number(response.headers.get('Retry-After'))
  if (response.status === 429 && seconds > 0) {
    if (isRepeated || seconds > maxWaitSeconds)
      throw new UsageError(`The rate limit is used up. Try again in ${seconds} s.`)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    return requestOk(path, key, true)
  }
  if (response.status !== 200) throw new UsageError(readError(response))
  return response
}

/** Throws {@link UsageError}. */
export async function getCredits(key: string): Promise<CreditStatus> {
  return JSON.parse((await requestOk('/api-key/credits', key)).text)
}

/** A page of a list. Throws {@link UsageError}. */
export async function getPage<Item>(path: string, key: string): Promise<UsagePage<Item>> {
  const { headers, text } = await requestOk(path, key)
  const body: { data: Item[] } = JSON.parse(text)
  const link = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1]
  return {
    items: body.data,
    total: Number(headers.get('X-Total-Count')),
    next: link && `${path.split('?')[0]}${new URL(link).search}`,
  }
}

/** The path of the list of sums, the newest first. */
export const daysPath = '/api-key/usage/days?per_page=100'
/** The path of the list of entries, the newest first. */
export const writeEntriesPath = (perPage: number): string => `/api-key/usage?per_page=${perPage}`

/** The sums since a day (UTC), newest first. Throws {@link UsageError}. */
export async function listSums(since: string, key: string): Promise<UsageSum[]> {
  const sums: UsageSum[] = []
  for (let path: string | undefined = daysPath; path; ) {
    const page: UsagePage<UsageSum> = await getPage(path, key)
    sums.push(...page.items)
    path = (sums.at(-1)?.day ?? '') < since ? undefined : page.next
  }
  return sums.filter(({ day }) => day >= since)
}
