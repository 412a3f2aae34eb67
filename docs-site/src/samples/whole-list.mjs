import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const budget = 500
const url = '{base_url}/users?country=DE&dependency_names=react&per_page=100'
let state = { url, key: crypto.randomUUID(), size: 0, spent: 0 }
if (existsSync('users.state')) {
  state = JSON.parse(readFileSync('users.state', 'utf8'))
  if (!existsSync('users.ndjson') || statSync('users.ndjson').size < state.size) {
    throw new Error('users.ndjson lacks users: restore it, or delete users.state to pay for all again')
  }
}

async function get({ tries = 7 } = {}) {
  const headers = {
    Authorization: `Bearer ${process.env.DEVDATA_API_KEY}`,
    'Idempotency-Key': state.key,
    'Max-Credits': String(budget - state.spent),
  }
  for (let attempt = 1; ; attempt += 1) {
    let wait = 2 ** attempt * (0.5 + Math.random() / 2)
    try {
      const response = await fetch(state.url, { headers, signal: AbortSignal.timeout(30_000) })
      const text = await response.text()
      if (response.ok) return { users: JSON.parse(text).data, link: response.headers.get('Link') }
      const isNotReady = response.headers.get('X-Error-Code') === 'filter_not_ready'
      const isTemporary = [408, 429].includes(response.status) || response.status >= 500
      if (isNotReady || !isTemporary || attempt === tries) throw new Error(text)
      const after = response.headers.get('Retry-After') ?? ''
      if (/^\d+$/.test(after)) wait = Number(after)
    } catch (error) {
      const isBroken = error instanceof TypeError || error.name === 'TimeoutError'
      if (!isBroken || attempt === tries) throw error
    }
    await pause(wait * 1000)
  }
}

appendFileSync('users.ndjson', '')
truncateSync('users.ndjson', state.size) // a page whose state wasn't stored is read again, free
while (true) {
  writeFileSync('users.state.new', JSON.stringify(state), { flush: true })
  renameSync('users.state.new', 'users.state') // before the request is sent
  if (!state.url) break
  const { users, link } = await get()
  const lines = users.map((user) => `${JSON.stringify(user)}\n`)
  appendFileSync('users.ndjson', lines.join(''), { flush: true })
  state = {
    url: link?.match(/<([^>]+)>; rel="next"/)?.[1],
    key: crypto.randomUUID(),
    size: statSync('users.ndjson').size,
    spent: state.spent + users.length, // even if an earlier run paid for them
  }
}
console.log(`${state.spent} users in users.ndjson, ${budget - state.spent} credits of the budget left`)
