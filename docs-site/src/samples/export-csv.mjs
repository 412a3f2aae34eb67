import { writeFile } from 'node:fs/promises'

const headers = { Authorization: `Bearer ${process.env.DEVDATA_API_KEY}` }
const fields = ['login', 'name', 'email', 'company', 'location']

const query = new URLSearchParams({
  country: 'DE',
  dependency_names: 'react',
  dependency_status: 'active',
  per_page: '100',
})
let url = `{base_url}/users?${query}`

const quote = (value) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)
const rows = [fields.join(',')]
while (url) {
  const response = await fetch(url, { headers })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  for (const user of body.data) rows.push(fields.map((field) => quote(user[field] ?? '')).join(','))
  url = response.headers.get('Link').match(/<([^>]+)>; rel="next"/)?.[1]
}

await writeFile('users.csv', rows.map((row) => `${row}\r\n`).join(''))
console.log(`users.csv: ${rows.length - 1} users`)
