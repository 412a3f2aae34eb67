const headers = { Authorization: `Bearer ${process.env.DEVDATA_API_KEY}` }
let url = '{base_url}/users?location=berlin&dependency_names=zod&per_page=5'

while (url) {
  const response = await fetch(url, { headers })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  for (const user of body.data) console.log(user.login)
  url = response.headers.get('Link').match(/<([^>]+)>; rel="next"/)?.[1]
}
