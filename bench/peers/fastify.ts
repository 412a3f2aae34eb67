/**
 * What a good engineer writes in an afternoon: `GET /users/:login` on Fastify and pg, with a statement each for
 * authentication, look-up and debit. The statements are named, so that they are prepared once for a connection, and
 * the debit writes its entry in the same statement.
 *
 * @module
 */
import { createHash, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import { Pool } from 'pg'

const { DATABASE_URL, PORT = '0', POOL_SIZE = '10' } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })
const app = Fastify()

app.get<{ Params: { login: string } }>('/users/:login', async (request, reply) => {
  const { login } = request.params
  const [, secret] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  if (secret === undefined) return reply.code(401).send({ error: 'Authorization header required' })

  const keys = await pool.query<{ id: number }>({
    name: 'authenticate',
    text: `
      select k.id from api_key_secrets s join api_keys k on k.id = s.api_key_id
      where s.hash = $1 and k.deleted_at is null and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and (s.expires_at is null or s.expires_at > now())`,
    values: [createHash('sha256').update(secret).digest()],
  })
  const key = keys.rows[0]
  if (key === undefined) return reply.code(401).send({ error: 'Invalid API key' })

  const users = await pool.query<{ document: string }>({
    name: 'find',
    text: `
      select document from users
      where login_key = $1 and id <= (select users_count from dataset)
      order by id desc limit 1`,
    values: [login.toUpperCase()],
  })

  const debits = await pool.query<{ balance: string }>({
    name: 'charge',
    text: `
      with debit as (
        update api_keys
        set credits = credits - 1, last_position = last_position + 1, last_used_at = now(), last_entry_at = now()
        where id = $1 and credits >= 1
        returning id, credits, last_position, last_entry_at
      )
      insert into ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
      select id, last_position, last_entry_at, 'charge', 0, 1, credits, 1, $2, $3 from debit
      returning balance`,
    values: [key.id, randomUUID(), request.url],
  })
  const debit = debits.rows[0]
  if (debit === undefined) return reply.code(403).send({ error: 'insufficient credits' })

  reply.header('X-Credits-Remaining', debit.balance)
  const user = users.rows[0]
  if (user === undefined) return reply.code(404).send({ error: 'User not found' })
  return reply.type('application/json').send(user.document)
})

process.on('SIGTERM', () => process.exit(0))
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: Number(PORT) })}`)
