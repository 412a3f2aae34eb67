/**
 * What a good engineer writes in an afternoon: look-ups and lists on Fastify and pg, with a statement each for
 * authentication, reading and debit. The statements are named, so that they are prepared once for a connection, and
 * the debit writes its entry in the same statement. Keys have their balance in their row (`fillPeers` of fill.ts).
 * Look-ups read our tables, lists those of peers/plain.sql: they count, join, skip what comes before the page, and make
 * objects of rows.
 */
import { createHash, randomUUID } from 'node:crypto'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { Pool } from 'pg'

const { DATABASE_URL, PORT = '0', POOL_SIZE = '10' } = process.env
const pool = new Pool({ connectionString: DATABASE_URL, max: Number(POOL_SIZE) })
const app = Fastify()

/** Authenticates: returns the id of the caller's key, or sends the 401. */
async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<number | undefined> {
  const [, secret] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? []
  const keys = await pool.query<{ id: number }>({
    name: 'authenticate',
    text: `
      select k.id from api_key_secrets s join peers.api_keys k on k.id = s.api_key_id
      where s.hash = $1 and k.deleted_at is null and k.revoked_at is null
        and (k.expires_at is null or k.expires_at > now()) and (s.expires_at is null or s.expires_at > now())`,
    values: [
      createHash('sha256')
        .update(secret ?? '')
        .digest(),
    ],
  })
  const key = keys.rows[0]
  if (key === undefined) await reply.code(401).send({ error: 'Invalid API key' })
  return key?.id
}

/** Takes credits. False when the key has too few; the response then says so. */
async function charge(
  request: FastifyRequest,
  reply: FastifyReply,
  id: number,
  cost: number,
): Promise<boolean> {
  if (cost === 0) return true
  const debits = await pool.query<{ balance: string }>({
    name: 'charge',
    text: `
      with debit as (
        update peers.api_keys
        set credits = credits - $4, last_position = last_position + 1, last_used_at = now(), last_entry_at = now()
        where id = $1 and credits >= $4
        returning id, credits, last_position, last_entry_at
      )
      insert into peers.ledger (api_key_id, position, created_at, kind, granted, cost, balance, items, request_id, path)
      select id, last_position, last_entry_at, 'charge', 0, $4, credits, $4, $2, $3 from debit
      returning balance`,
    values: [id, randomUUID(), request.url.split('?')[0], cost],
  })
  const debit = debits.rows[0]
  if (debit === undefined) await reply.code(403).send({ error: 'insufficient credits' })
  else reply.header('X-Credits-Remaining', debit.balance)
  return debit !== undefined
}

app.get<{ Params: { login: string } }>('/users/:login', async (request, reply) => {
  const key = await authenticate(request, reply)
  if (key === undefined) return reply
  const users = await pool.query<{ document: string }>({
    name: 'find',
    text: `
      select document from users
      where login_key = $1 and id <= (select users_count from dataset)
      order by id desc limit 1`,
    values: [request.params.login.toUpperCase()],
  })
  if (!(await charge(request, reply, key, 1))) return reply
  const user = users.rows[0]
  if (user === undefined) return reply.code(404).send({ error: 'User not found' })
  return reply.type('application/json').send(user.document)
})

type Query = Partial<
  Record<'page' | 'per_page' | 'location' | 'dependency_names' | 'dependency_files', string>
>

const userFields = `forge_rest_id, forge_graphql_id, login, name, email, avatar_url, company, location, bio, followers,
  following, type, created_at, updated_at`

/** The conditions of a list, as SQL with parameters. */
function createConditions(
  kind: 'users' | 'repositories',
  query: Query,
): { where: string; values: unknown[] } {
  const conditions = ['true']
  const values: unknown[] = []
  const add = (value: unknown) => `$${values.push(value)}`
  if (kind === 'users' && query.location) {
    const pattern = `%${query.location.replaceAll(/[\\%_]/g, '\\$&')}%`
    conditions.push(`location ilike ${add(pattern)}`)
  }
  const dependency: string[] = []
  if (query.dependency_names) {
    dependency.push(`lower(d.name) = any(${add(query.dependency_names.toLowerCase().split(','))})`)
  }
  if (query.dependency_files) dependency.push(`d.file = any(${add(query.dependency_files.split(','))})`)
  if (dependency.length > 0) {
    const uses = `plain.repository_dependencies d where ${dependency.join(' and ')}`
    const dates = 'first_use_date, last_use_date'
    conditions.push(
      kind === 'repositories'
        ? `internal_id in (select repository_id from ${uses})`
        : `id in (
            select r.owner_id from plain.repositories r join (select repository_id from ${uses}) d on d.repository_id = r.internal_id
            union
            select c.author_id from plain.commits c join (select repository_id, ${dates} from ${uses}) d using (repository_id)
            where d.first_use_date <= c.last_date and (d.last_use_date is null or d.last_use_date >= c.first_date)
          )`,
    )
  }
  return { where: conditions.join(' and '), values }
}

/** Sends a page, charged by the number of its items. `read` finds the items of a page. */
async function sendList(
  request: FastifyRequest<{ Querystring: Query }>,
  reply: FastifyReply,
  kind: 'users' | 'repositories',
  read: (where: string, values: unknown[]) => Promise<object[]>,
) {
  const key = await authenticate(request, reply)
  if (key === undefined) return reply
  const began = Date.now()
  const page = Number(request.query.page ?? 1)
  const size = Number(request.query.per_page ?? 30)
  const { where, values } = createConditions(kind, request.query)
  const counted = await pool.query<{ count: string }>(
    `select count(*) from plain.${kind} where ${where}`,
    values,
  )
  const total = Number(counted.rows[0]?.count)
  const data = await read(
    `${where} order by ${kind === 'users' ? 'id' : 'internal_id'} limit ${size} offset ${(page - 1) * size}`,
    values,
  )
  if (!(await charge(request, reply, key, data.length))) return reply
  const last = Math.max(1, Math.ceil(total / size))
  const link = (relation: string, number: number) => {
    const url = new URL(request.url, `http://${request.host}`)
    url.searchParams.set('page', String(number))
    return `<${url}>; rel="${relation}"`
  }
  const links = [link('first', 1), ...(page < last ? [link('next', page + 1)] : []), link('last', last)]
  reply.header('X-Total-Count', String(total)).header('Link', links.join(', '))
  return {
    data,
    meta: {
      request_id: randomUUID(),
      timestamp: Math.floor(began / 1000),
      execution_time: Date.now() - began,
    },
    pagination: {
      page,
      per_page: size,
      next_page: page < last ? page + 1 : 0,
      prev_page: page - 1,
      has_more: page < last,
    },
  }
}

app.get<{ Querystring: Query }>('/users', (request, reply) =>
  sendList(request, reply, 'users', async (where, values) => {
    const { rows } = await pool.query<{ forge_rest_id: string }>(
      `select ${userFields} from plain.users where ${where}`,
      values,
    )
    return rows.map((row) => ({ ...row, forge_rest_id: Number(row.forge_rest_id) }))
  }),
)

app.get<{ Querystring: Query }>('/repos', (request, reply) =>
  sendList(request, reply, 'repositories', async (where, values) => {
    const { rows } = await pool.query<Record<string, unknown>>(
      `select * from plain.repositories where ${where}`,
      values,
    )
    const dependencies = await pool.query<Record<string, unknown>>({
      name: 'dependencies',
      text: `
        select * from plain.repository_dependencies where repository_id = any($1)
        order by name collate "C", file collate "C"`,
      values: [rows.map((row) => row.internal_id)],
    })
    const byRepository = Map.groupBy(dependencies.rows, (row) => row.repository_id)
    return rows.map(({ owner_id: _ours, ...row }) => ({
      ...withNumbers(row, ['forge_rest_id', 'created_at', 'updated_at', 'pushed_at']),
      dependencies: (byRepository.get(row.internal_id) ?? []).map(
        ({ repository_id: _its, name, file, ...use }) => ({
          ...withNumbers(use, ['first_use_date', 'last_use_date', 'updated_at']),
          dependency: { dependency_name: name, dependency_file: file },
        }),
      ),
    }))
  }),
)

/** pg makes strings of 64-bit integers. */
function withNumbers(row: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const numbers = fields.map((field) => [field, row[field] === null ? null : Number(row[field])])
  return { ...row, ...Object.fromEntries(numbers) }
}

process.on('SIGTERM', () => process.exit(0))
console.log(`ready at ${await app.listen({ host: '127.0.0.1', port: Number(PORT) })}`)
