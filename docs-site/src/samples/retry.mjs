const pause = (seconds) => new Promise((wake) => setTimeout(wake, seconds * 1000))

async function get(url, { tries = 5 } = {}) {
  const headers = {
    Authorization: `Bearer ${process.env.DEVDATA_API_KEY}`,
    'Idempotency-Key': crypto.randomUUID(), // the same for each attempt
  }
  for (let attempt = 1; ; attempt += 1) {
    let wait = 2 ** attempt * (0.5 + Math.random() / 2)
    try {
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
      if (response.ok) return await response.json()
      const isNotReady = response.headers.get('X-Error-Code') === 'filter_not_ready'
      const isTemporary = [408, 429].includes(response.status) || response.status >= 500
      if (isNotReady || !isTemporary || attempt === tries) throw new Error(await response.text())
      const after = response.headers.get('Retry-After') ?? ''
      if (/^\d+$/.test(after)) wait = Number(after)
    } catch (error) {
      const isBroken = error instanceof TypeError || error.name === 'TimeoutError'
      if (!isBroken || attempt === tries) throw error
    }
    await pause(wait)
  }
}

for (const login of ['ngoldberg', 'sofia12', 'adasilva']) {
  const user = await get(`{base_url}/users/${login}`)
  console.log(user.name)
}
