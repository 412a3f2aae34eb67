const url = '{base_url}/users/ngoldberg'
const headers = { Authorization: `Bearer ${process.env.DEVDATA_API_KEY}` }
const kept = { etag: undefined, user: undefined }

async function readUser() {
  const response = await fetch(url, {
    headers: kept.etag ? { ...headers, 'If-None-Match': kept.etag } : headers,
  })
  const isKept = response.status === 304
  const body = isKept ? kept.user : await response.json()
  if (!response.ok && !isKept) throw new Error(body.error)
  console.log(`${response.status}, cost ${response.headers.get('X-Credits-Cost')}`)
  kept.etag = response.headers.get('ETag')
  kept.user = body
  return body
}

console.log((await readUser()).name)
console.log((await readUser()).name)
