/** `devdata keys …` */
import process from 'node:process'
import { text } from 'node:stream/consumers'
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import { devdataCommand } from '../devdata-command.ts'
import { OperatorError } from '../errors.ts'
import {
  findAdminScope,
  isSecret,
  keysScope,
  metricsScope,
  type RateLimit,
  type Role,
  roles,
  type Scope,
  scopes,
} from '../ledger/api-key.ts'
import { type ConnectionSummary, endConnection, listConnections } from '../ledger/connections.ts'
import {
  changeKey,
  createKey,
  deleteKey,
  findKeyBySecret,
  getKey,
  grantCredits,
  type KeyFilter,
  type KeySummary,
  listKeys,
  restoreKey,
  revokeKey,
  rotateKey,
  setRateLimit,
} from '../ledger/keys.ts'
import {
  readBalance,
  readConnectionId,
  readFutureTime,
  readGraceSeconds,
  readGrant,
  readKeyId,
  readLabel,
  readRateLimit,
  readScopes,
  readThreshold,
} from './arguments.ts'
import { confirm } from './confirm.ts'
import { type Column, countOf, formatCount, formatTable, formatTime } from './output.ts'
import { withDatabase } from './session.ts'

interface JsonOption {
  json?: true
}

const idArgument = ['<id>', 'id of the key; "devdata keys list" shows the ids', readKeyId] as const
const jsonOption = ['--json', 'print JSON'] as const

/** The name, which may be long, is last. */
const columns: readonly Column<KeySummary>[] = [
  { header: 'ID', cell: ({ id }) => String(id), numeric: true },
  { header: 'ROLE', cell: ({ role }) => role },
  { header: 'CREDITS', cell: (key) => formatCount(key.remaining_credits), numeric: true },
  { header: 'RATE LIMIT', cell: (key) => key.rate_limit ?? 'none' },
  { header: 'STATUS', cell: ({ status }) => status },
  { header: 'CREATED', cell: (key) => formatTime(key.created_at) },
  { header: 'EXPIRES', cell: (key) => formatTime(key.expires_at) },
  { header: 'LAST USED', cell: (key) => formatTime(key.last_used_at) },
  { header: 'SCOPES', cell: (key) => key.scopes.join(',') },
  { header: 'NAME', cell: ({ name }) => name ?? '' },
]

/** Adds `keys` and its commands. */
export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description(
      'Create, list, find, rotate, limit, notify, revoke, restore and delete API keys, grant credits, and end connections',
    )
    .addHelpText('after', '\nExamples:\n  devdata keys create --credits 1000\n  devdata keys list')
  addCreate(keys)
  keys
    .command('list')
    .description('List all keys except deleted ones, oldest first. The keys themselves are never shown.')
    .option('--below <n>', 'only user keys with fewer credits than this', readBalance)
    .option('--name <text>', 'only keys whose name contains this text, ignoring case', readLabel)
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys list\n  devdata keys list --below 100 --json')
    .action(list)
  addFind(keys)
  keys
    .command('grant')
    .description('Add credits to a key. A negative number withdraws them; a balance never falls below 0.')
    .argument(...idArgument)
    .argument('<credits>', 'number of credits', readGrant)
    .option(
      '--reference <text>',
      "a name for this grant. If you repeat the command with it, nothing changes. The key's ledger shows it.",
      readLabel,
    )
    .option(...jsonOption)
    .addHelpText(
      'after',
      `
Examples:
  devdata keys grant 3 1000
  devdata keys grant 3 -50
  devdata keys grant 3 1000 --reference "top-up 2026-01"`,
    )
    .action(grant)
  keys
    .command('limit')
    .description("Set or remove a key's rate limit")
    .argument(...idArgument)
    .argument('<n/seconds>', 'requests and seconds, such as 100/60, or none', readRateLimit)
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys limit 3 100/60\n  devdata keys limit 3 none')
    .action(limit)
  addNotify(keys)
  addConnections(keys)
  keys
    .command('rotate')
    .description('Replace a key and print the new one. The id, balance, limits and history stay the same.')
    .argument(...idArgument)
    .option('--grace <seconds>', 'how many seconds the old key still works', readGraceSeconds, 0)
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys rotate 3\n  devdata keys rotate 3 --grace 86400')
    .action(rotate)
  addChange(
    keys,
    'revoke',
    'Revoke a key until it is restored',
    revokeKey,
    () => 'is revoked: its next request will fail',
  )
  addChange(keys, 'restore', 'Restore a revoked key', restoreKey, ({ status }) =>
    status === 'active'
      ? 'is no longer revoked'
      : `is no longer revoked, but it is ${status} and still doesn't work. Create another one: ${devdataCommand('keys create')}`,
  )
  keys
    .command('delete')
    .description(
      'Delete a key permanently. Its ledger stays. On a terminal, the command asks for confirmation.',
    )
    .argument(...idArgument)
    .option('--yes', "don't ask")
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys delete 3\n  devdata keys delete 3 --yes --json')
    .action(remove)
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .description('Create a key and print it. It is shown once, because only its hash is stored.')
    .addOption(
      new Option('--role <role>', "user keys are charged, admin keys aren't").choices(roles).default('user'),
    )
    .option('--credits <n>', 'starting balance', readBalance, 0)
    .option(
      '--rate-limit <n/seconds>',
      'requests and seconds, such as 100/60, or none (default: the setting DEFAULT_RATE_LIMIT)',
      readRateLimit,
    )
    .option(
      '--notify-below <n>',
      'tell the webhook of WEBHOOK_URL when a charge takes the balance below this',
      readThreshold,
    )
    .addOption(
      new Option(
        '--scopes <scopes>',
        `what a user key may read; for an admin key, ${metricsScope} allows it nothing but /metrics, and ${keysScope} nothing but to make and change user keys over HTTP`,
      )
        .argParser(readScopes)
        .default(scopes, scopes.join(',')),
    )
    .option(
      '--expires <date>',
      'when the key expires: a date (0:00 UTC) or a timestamp (default: never)',
      readFutureTime,
    )
    .option('--name <text>', 'a name for the key', readLabel)
    .option(...jsonOption)
    .addHelpText(
      'after',
      `
Examples:
  devdata keys create --credits 1000 --name "Ada's laptop"
  devdata keys create --credits 500 --rate-limit 100/60 --scopes users:read --expires 2030-12-31
  devdata keys create --role admin --json
  devdata keys create --role admin --scopes metrics:read --name Prometheus
  devdata keys create --role admin --scopes keys:write --name "the shop"`,
    )
    .action(create)
}

function addFind(keys: Command): void {
  keys
    .command('find')
    .description(
      'Read a key from standard input, and show its id and its state, also if it is revoked or deleted',
    )
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys find < key.txt\n  devdata keys find --json < key.txt')
    .action(find)
}

function addNotify(keys: Command): void {
  keys
    .command('notify')
    .description('Set or remove the balance below which the webhook of WEBHOOK_URL is told')
    .argument(...idArgument)
    .argument('<n>', 'number of credits, or none', readThreshold)
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys notify 3 100\n  devdata keys notify 3 none')
    .action(notify)
}

function addConnections(keys: Command): void {
  keys
    .command('connections')
    .description('List the assistants that were connected with a key, or end one of their connections')
    .argument(...idArgument)
    .option('--end <connection>', 'end the connection with this id', readConnectionId)
    .option(...jsonOption)
    .addHelpText('after', '\nExamples:\n  devdata keys connections 3\n  devdata keys connections 3 --end 12')
    .action(connections)
}

/** Adds a command that only takes a key. */
function addChange(
  keys: Command,
  name: string,
  description: string,
  change: (sql: Sql, id: number) => Promise<KeySummary>,
  describe: (key: KeySummary) => string,
): void {
  keys
    .command(name)
    .description(description)
    .argument(...idArgument)
    .option(...jsonOption)
    .addHelpText('after', `\nExamples:\n  devdata keys ${name} 3\n  devdata keys ${name} 3 --json`)
    .action((id: number, { json }: JsonOption) =>
      withDatabase({}, async ({ sql }) => {
        const key = await change(sql, id)
        console.log(json ? JSON.stringify(key) : `Key ${id} ${describe(key)}`)
      }),
    )
}

interface CreateOptions extends JsonOption {
  role: Role
  credits: number
  rateLimit?: RateLimit | null
  notifyBelow?: number | null
  scopes: readonly Scope[]
  expires?: Date
  name?: string
}

function create(
  { json, expires, name, rateLimit, ...options }: CreateOptions,
  command: Command,
): Promise<void> {
  const adminScope = findAdminScope(options)
  if (adminScope !== undefined && options.role !== 'admin') {
    command.error(`error: --scopes ${adminScope} is for --role admin`)
  }
  return withDatabase({ createsDatabase: true }, async ({ sql, config }) => {
    const { secret, key } = await createKey(sql, {
      ...options,
      rateLimit: rateLimit === undefined ? config.defaultRateLimit : rateLimit,
      expiresAt: expires ?? null,
      name: name ?? null,
    })
    if (json) return printSecret(formatSecretJson(key, secret), key, 'created')
    await printSecret(`${formatSecret(key, secret)}\n\n${formatTable(columns, [key])}`, key, 'created')
    if (key.role === 'user' && key.remaining_credits === 0) {
      console.log(`\nIt has no credits yet: ${devdataCommand(`keys grant ${key.id} 1000`)}`)
    }
  })
}

function list({ json, ...filter }: JsonOption & KeyFilter): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const keys = await listKeys(sql, filter)
    if (json) console.log(JSON.stringify(keys))
    else if (keys.length === 0 && Object.keys(filter).length > 0) console.log('No keys match')
    else if (keys.length === 0)
      console.log(`There are no keys yet: ${devdataCommand('keys create --credits 1000')}`)
    else console.log(formatTable(columns, keys))
  })
}

async function find({ json }: JsonOption): Promise<void> {
  if (process.stdin.isTTY) console.error('Paste the key, then press Enter and Ctrl-D')
  const secret = (await text(process.stdin)).trim()
  if (!isSecret(secret)) {
    throw new OperatorError('Standard input has no key: it must be a lowercase UUID, and nothing else')
  }
  await withDatabase({}, async ({ sql }) => {
    const found = await findKeyBySecret(sql, secret)
    if (found === undefined)
      throw new OperatorError('No key has ever had this value; check DATABASE_URL and DATA_DIR')
    const { key, isReplaced } = found
    if (json) return console.log(JSON.stringify({ ...key, is_replaced: isReplaced }))
    console.log(formatTable(columns, [key]))
    if (isReplaced) console.log('\nA rotation has replaced this value, so it no longer works')
  })
}

function grant(
  id: number,
  credits: number,
  { reference, json }: JsonOption & { reference?: string },
): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const { outcome, key } = await grantCredits(sql, id, credits, reference)
    if (json) return console.log(JSON.stringify({ ...key, outcome }))
    const amount = countOf(Math.abs(credits), 'credit')
    const [done, change] =
      credits > 0 ? ['Granted', `${amount} to key ${id}`] : ['Withdrew', `${amount} from key ${id}`]
    const balance = `its balance is ${formatCount(key.remaining_credits)}`
    console.log(
      outcome === 'granted'
        ? `${done} ${change}; ${balance}`
        : `Already ${done.toLowerCase()} ${change} under the reference "${reference}"; nothing changed, and ${balance}`,
    )
  })
}

function limit(id: number, limit: RateLimit | null, { json }: JsonOption): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const key = await setRateLimit(sql, id, limit)
    if (json) return console.log(JSON.stringify(key))
    console.log(
      limit === null
        ? `Key ${id} no longer has a rate limit`
        : `Key ${id} may send ${countOf(limit.requests, 'request')} in ${countOf(limit.seconds, 'second')}`,
    )
  })
}

function notify(id: number, notifyBelow: number | null, { json }: JsonOption): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const key = await changeKey(sql, id, { notifyBelow })
    if (json) return console.log(JSON.stringify(key))
    console.log(
      notifyBelow === null
        ? `The webhook isn't told of a low balance of key ${id}`
        : `The webhook is told when a charge takes the balance of key ${id} below ${countOf(notifyBelow, 'credit')}`,
    )
  })
}

/** The name, which may be long, is last. */
const connectionColumns: readonly Column<ConnectionSummary>[] = [
  { header: 'ID', cell: ({ id }) => String(id), numeric: true },
  { header: 'SPENT', cell: (connection) => formatCount(connection.spent_credits), numeric: true },
  { header: 'LIMIT', cell: (connection) => formatCount(connection.max_credits), numeric: true },
  {
    header: 'PER CALL',
    cell: ({ max_credits_per_call: limit }) => (limit === null ? 'none' : formatCount(limit)),
    numeric: true,
  },
  { header: 'CREATED', cell: (connection) => formatTime(connection.created_at) },
  { header: 'EXPIRES', cell: (connection) => formatTime(connection.expires_at) },
  { header: 'HOST', cell: ({ host }) => host },
  { header: 'NAME', cell: ({ name }) => name },
]

function connections(id: number, { end, json }: JsonOption & { end?: number }): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    await getKey(sql, id)
    if (end !== undefined) {
      const ended = await endConnection(sql, id, end)
      if (ended === undefined)
        throw new OperatorError(
          `Key ${id} has no connection ${end}; list them with: devdata keys connections ${id}`,
        )
      return console.log(
        json
          ? JSON.stringify(ended)
          : `Ended connection ${end} (${ended.name}, ${ended.host}). Its next request fails.`,
      )
    }
    const found = await listConnections(sql, id)
    if (json) console.log(JSON.stringify(found))
    else if (found.length === 0) console.log(`Key ${id} has no connections`)
    else console.log(formatTable(connectionColumns, found))
  })
}

function remove(id: number, { yes, json }: JsonOption & { yes?: true }): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const { name, remaining_credits: balance } = await getKey(sql, id)
    const named = name === null ? '' : ` (${name})`
    await confirm(
      `Delete key ${id}${named} with ${countOf(balance, 'credit')}? It can't be restored; "keys revoke" can be undone.`,
      { yes },
    )
    const key = await deleteKey(sql, id)
    console.log(json ? JSON.stringify(key) : `Key ${id} is deleted`)
  })
}

function rotate(id: number, { grace, json }: JsonOption & { grace: number }): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const { secret, key } = await rotateKey(sql, id, grace)
    if (json) return printSecret(formatSecretJson(key, secret), key, 'rotated')
    const old = grace === 0 ? 'no longer works' : `works for another ${countOf(grace, 'second')}`
    const status = key.status === 'active' ? '' : ` The key is still ${key.status}.`
    await printSecret(`${formatSecret(key, secret)}\n\nThe old key ${old}.${status}`, key, 'rotated')
  })
}

/** Prints the only copy of a secret. Throws `OperatorError` if that fails, even if only the reader stopped early. */
async function printSecret(text: string, { id }: KeySummary, change: 'created' | 'rotated'): Promise<void> {
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, (failure) => {
      if (failure) process.exitCode = 1 // reported below
      resolve(failure)
    })
  }).catch((failure: Error) => failure) // Deno throws it
  if (!error) return
  throw new OperatorError(
    `Key ${id} was ${change}, but couldn't be printed: ${error.message}; for a new one, run: ` +
      devdataCommand(`keys rotate ${id}`),
  )
}

function formatSecretJson({ id, ...key }: KeySummary, secret: string): string {
  return JSON.stringify({ id, api_key: secret, ...key })
}

function formatSecret({ id }: KeySummary, secret: string): string {
  return `API key ${id}, shown only once:\n\n  ${secret}`
}
