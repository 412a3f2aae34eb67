const headers = { Authorization: `Bearer ${process.env.API_KEY}` }
const copy = { version: undefined, user: new Map(), repository: new Map() }

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

async function refresh() {
  const since = copy.version
  const filter = since === undefined ? '' : `&changed_since=${since}`
  let version
  let paid = 0
  for (const [path, kept] of [
    ['/users', copy.user],
    ['/repos', copy.repository],
  ]) {
    for await (const page of readPages(`${path}?per_page=100${filter}`)) {
      version ??= page.version
      paid += page.items.length
      for (const item of page.items) kept.set(item.forge_rest_id, item)
    }
  }
  if (since !== undefined) {
    for await (const page of readPages(`/removals?per_page=100&since=${since}`)) {
      for (const { kind, forge_rest_id } of page.items) copy[kind].delete(forge_rest_id)
    }
  }
  copy.version = version
  console.log(`${copy.user.size} users, ${copy.repository.size} repositories, paid ${paid} credits`)
}

await refresh()
await refresh()
