const headers = {
  Authorization: `Bearer ${process.env.DEVDATA_API_KEY}`,
  'Idempotency-Key': crypto.randomUUID(),
}

for (const attempt of ['first', 'second']) {
  const response = await fetch('{base_url}/users?location=berlin&per_page=100', { headers })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  console.log(`${attempt}: ${body.data.length} users, cost ${response.headers.get('X-Credits-Cost')}`)
}
