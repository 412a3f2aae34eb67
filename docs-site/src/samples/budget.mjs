const headers = { Authorization: `Bearer ${process.env.DEVDATA_API_KEY}` }
const budget = 60
let url = '{base_url}/users?location=berlin&per_page=20'

const quote = await fetch(url, { method: 'HEAD', headers })
if (!quote.ok) throw new Error(`${quote.status} ${quote.statusText}`)
const total = Number(quote.headers.get('X-Total-Count'))
if (total > budget) throw new Error(`The list costs ${total} credits, and the budget is ${budget}`)

let spent = 0
while (url) {
  const response = await fetch(url, { headers: { ...headers, 'Max-Credits': String(budget - spent) } })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error)
  spent += Number(response.headers.get('X-Credits-Cost'))
  console.log(`${body.data.length} users, ${budget - spent} credits left`)
  url = response.headers.get('Link').match(/<([^>]+)>; rel="next"/)?.[1]
}
