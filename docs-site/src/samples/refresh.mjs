import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const headers = { Authorization: `Bearer ${process.env.DEVDATA_API_KEY}` }
const isNew = !existsSync('copy.json')
const copy = isNew ? { user: {}, repository: {} } : JSON.parse(readFileSync('copy.json', 'utf8'))

async function* readPages(path) {
  let url = `{base_url}${path}`
  while (url) {
    const response = await fetch(url, { headers })
    const body = await response.json()
    if (!response.ok) throw new Error(body.error)
    yield { items: body.data, version: response.headers.get('X-Dataset-Version') }
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
  for await (const page of readPages(`${path}?per_page=100${changes}`)) {
    version ??= page.version
    paid += page.items.length
    for (const item of page.items) kept[item.forge_rest_id] = item
  }
}
if (!isNew) {
  for await (const page of readPages(`/removals?per_page=100&since=${copy.version}`)) {
    for (const { kind, forge_rest_id } of page.items) delete copy[kind][forge_rest_id]
  }
}

writeFileSync('copy.json.new', JSON.stringify({ ...copy, version }))
renameSync('copy.json.new', 'copy.json')
const [users, repositories] = [copy.user, copy.repository].map((kept) => Object.keys(kept).length)
console.log(`${users} users, ${repositories} repositories, paid ${paid} credits`)
