import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const isNew = !existsSync('copy.json')
const copy = isNew ? { user: {}, repository: {} } : JSON.parse(readFileSync('copy.json', 'utf8'))

async function get(url, { tries = 7 } = {}) {
  const headers = {
    Authorization: `Bearer ${process.env.DEVDATA_API_KEY}`,
    'Idempotency-Key': url, // the same in the next run
  }
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { headers })
    if (response.ok) return response
    const seconds = Number(response.headers.get('Retry-After'))
    if (!seconds || attempt === tries) throw new Error(await response.text())
    await pause(seconds * 1000)
  }
}

async function* readPages(path) {
  let url = `{base_url}${path}`
  while (url) {
    const response = await get(url)
    yield { headers: response.headers, items: (await response.json()).data }
    url = response.headers.get('Link').match(/<([^>]+)>; rel="next"/)?.[1]
  }
}

const changes = isNew ? '' : `&changed_since=${copy.version}`
let version
let paid = 0
for (const [path, kept] of [
  ['/users', copy.user],
  ['/repos', copy.repository],
]) {
  for await (const { headers, items } of readPages(`${path}?per_page=100${changes}`)) {
    version ??= headers.get('X-Dataset-Version')
    paid += Number(headers.get('X-Credits-Cost'))
    for (const item of items) kept[item.forge_rest_id] = item
  }
}
if (!isNew) {
  for await (const { items } of readPages(`/removals?per_page=100&since=${copy.version}`)) {
    for (const { kind, forge_rest_id } of items) delete copy[kind][forge_rest_id]
  }
}

writeFileSync('copy.json.new', JSON.stringify({ ...copy, version }))
renameSync('copy.json.new', 'copy.json')
const [users, repositories] = [copy.user, copy.repository].map((kept) => Object.keys(kept).length)
console.log(`${users} users, ${repositories} repositories, paid ${paid} credits`)
