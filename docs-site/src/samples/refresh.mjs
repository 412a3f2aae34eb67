const url = '{base_url}/users/ngoldberg'
const headers = { Authorization: `Bearer ${process.env.API_KEY}` }
const kept = { etag: undefined, user: undefined }

async function readUser() {
  const response = await fetch(url, {
    headers: kept.etag ? { ...headers, 'If-None-Match': kept.etag } : headers,
  })
  console.log(`${response.status}, cost ${response.headers.get('X-Credits-Cost')}`)
  if (response.status === 304) return kept.user
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  kept.etag = response.headers.get('ETag')
  kept.user = body
  return body
}

console.log((await readUser()).name)
console.log((await readUser()).name)
