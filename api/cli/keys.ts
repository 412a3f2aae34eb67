/**
 * `devdata keys …`
 *
 * @module
 */
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import { type Role, roles, type Scope, scopes } from '../ledger/api-key.ts'
import {
  createKey,
  deleteKey,
  grantCredits,
  type KeySummary,
  listKeys,
  restoreKey,
  revokeKey,
  rotateKey,
  setRateLimit,
} from '../ledger/keys.ts'
import type { RateLimit } from '../ledger/rate-limit.ts'
import {
  readBalance,
  readExpiry,
  readGrace,
  readGrant,
  readKeyId,
  readName,
  readRateLimit,
  readScopes,
} from './arguments.ts'
import { type Column, countOf, formatCount, formatTable, print, printJson } from './output.ts'
import { withDatabase } from './session.ts'

interface CreateOptions {
  role: Role
  credits: number
  rateLimit?: RateLimit | null
  scopes: readonly Scope[]
  expires?: Date
  name?: string
  json?: true
}

const idRule = ['<id>', 'id of the key, as "devdata keys list" shows it'] as const
const jsonRule = ['--json', 'print JSON'] as const

/** What `keys list` shows; the name, which may be long, comes last. */
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
    .summary('make API keys, give them credits, end them')
    .description('Makes API keys, gives them credits and limits, and ends them.')
    .addHelpText('after', '\nExamples:\n  devdata keys create --credits 1000\n  devdata keys list')
  addCreate(keys)
  addList(keys)
  addGrant(keys)
  addLimit(keys)
  addRotate(keys)
  addChange(keys, {
    name: 'revoke',
    summary: 'stop a key; restore brings it back',
    change: revokeKey,
    done: 'is revoked: it stops working with its next request',
  })
  addChange(keys, {
    name: 'restore',
    summary: 'let a revoked key work again',
    change: restoreKey,
    done: 'is no longer revoked',
  })
  addChange(keys, {
    name: 'delete',
    summary: 'end a key for good; its ledger stays',
    change: deleteKey,
    done: 'is deleted',
  })
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .summary('make a key, and print it')
    .description('Makes a key, and prints it. It is shown this once: only its hash is stored.')
    .addOption(
      new Option('--role <role>', 'user keys are metered, admin keys are not').choices(roles).default('user'),
    )
    .option('--credits <n>', 'balance to begin with', readBalance, 0)
    .option(
      '--rate-limit <n/seconds>',
      'requests in so many seconds, or none (default: the setting DEFAULT_RATE_LIMIT)',
      readRateLimit,
    )
    .addOption(
      new Option('--scopes <scopes>', 'what the key may read')
        .argParser(readScopes)
        .default(scopes, scopes.join(',')),
    )
    .option(
      '--expires <date>',
      'when it stops working: a date (0:00 UTC) or a timestamp (default: never)',
      readExpiry,
    )
    .option('--name <text>', 'what you call it', readName)
    .option(...jsonRule)
    .addHelpText(
      'after',
      `
Examples:
  devdata keys create --credits 1000 --name "Ada's laptop"
  devdata keys create --credits 500 --rate-limit 100/60 --scopes users:read --expires 2030-12-31
  devdata keys create --role admin --json`,
    )
    .action(async (options: CreateOptions) => {
      await withDatabase({}, async ({ sql, config }) => {
        const { secret, key } = await createKey(sql, {
          role: options.role,
          scopes: options.scopes,
          credits: options.credits,
          rateLimit: options.rateLimit === undefined ? config.defaultRateLimit : options.rateLimit,
          expiresAt: options.expires ?? null,
          name: options.name ?? null,
        })
        if (options.json) return printJson(withSecret(key, secret))
        print(`${describeSecret(key, secret)}\n\n${describe(key)}`)
        if (key.role === 'user' && key.remaining_credits === 0) {
          print(`\nIt can pay for nothing yet: devdata keys grant ${key.id} 1000`)
        }
      })
    })
}

function addList(keys: Command): void {
  keys
    .command('list')
    .summary('show all keys, deleted ones aside')
    .description('Shows all keys, deleted ones aside, oldest first. The keys themselves are not stored.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExamples:\n  devdata keys list\n  devdata keys list --json')
    .action(async ({ json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const all = await listKeys(sql)
        if (json) return printJson(all)
        if (all.length === 0) return print('There are no keys yet: devdata keys create --credits 1000')
        print(formatTable(columns, all))
      })
    })
}

function addGrant(keys: Command): void {
  keys
    .command('grant')
    .summary('add credits to a key, or take them away')
    .description('Adds credits to a key. A negative number takes them away; a balance never falls below 0.')
    .argument(...idRule, readKeyId)
    .argument('<credits>', 'how many', readGrant)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys grant 3 1000\n  devdata keys grant 3 -50')
    .action(async (id: number, credits: number, { json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const key = await grantCredits(sql, id, credits)
        if (json) return printJson(key)
        const change =
          credits > 0 ? `was given ${countOf(credits, 'credit')}` : `lost ${countOf(-credits, 'credit')}`
        print(`Key ${id} ${change} and has ${formatCount(key.remaining_credits)} now`)
      })
    })
}

function addLimit(keys: Command): void {
  keys
    .command('limit')
    .summary("set or lift a key's rate limit")
    .description("Sets a key's rate limit: so many requests in a window of so many seconds; none lifts it.")
    .argument(...idRule, readKeyId)
    .argument('<n/seconds>', 'requests and seconds, or none', readRateLimit)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys limit 3 100/60\n  devdata keys limit 3 none')
    .action(async (id: number, limit: RateLimit | null, { json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const key = await setRateLimit(sql, id, limit)
        if (json) return printJson(key)
        print(
          limit === null
            ? `Key ${id} has no rate limit now`
            : `Key ${id} may send ${countOf(limit.requests, 'request')} in ${countOf(limit.seconds, 'second')} now`,
        )
      })
    })
}

function addRotate(keys: Command): void {
  keys
    .command('rotate')
    .summary('replace a key by a new one')
    .description('Gives a key a new secret, and prints it. Balance, limits and history stay as they are.')
    .argument(...idRule, readKeyId)
    .option('--grace <seconds>', 'how long the old secret works on', readGrace, 0)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys rotate 3\n  devdata keys rotate 3 --grace 86400')
    .action(async (id: number, { grace, json }: { grace: number; json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const { secret, key } = await rotateKey(sql, id, grace)
        if (json) return printJson(withSecret(key, secret))
        const old = grace === 0 ? 'has stopped working' : `works for ${countOf(grace, 'second')} more`
        const status = key.status === 'active' ? '' : ` The key is ${key.status}, and so is the new one.`
        print(`${describeSecret(key, secret)}\n\nThe one before it ${old}.${status}`)
      })
    })
}

function addChange(
  keys: Command,
  {
    name,
    summary,
    change,
    done,
  }: { name: string; summary: string; change: (sql: Sql, id: number) => Promise<KeySummary>; done: string },
): void {
  keys
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .argument(...idRule, readKeyId)
    .option(...jsonRule)
    .addHelpText('after', `\nExamples:\n  devdata keys ${name} 3\n  devdata keys ${name} 3 --json`)
    .action(async (id: number, { json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const key = await change(sql, id)
        if (json) printJson(key)
        else print(`Key ${id} ${done}`)
      })
    })
}

/** As JSON, the key itself comes first. */
function withSecret({ id, ...rest }: KeySummary, secret: string) {
  const { role, remaining_credits, ...others } = rest
  return { id, api_key: secret, role, remaining_credits, ...others }
}

function describeSecret({ id }: KeySummary, secret: string): string {
  return `API key ${id}, shown this once:\n\n  ${secret}`
}

function describe(key: KeySummary): string {
  return [
    `role        ${key.role}`,
    `credits     ${key.role === 'admin' ? 'not metered' : formatCount(key.remaining_credits)}`,
    `rate limit  ${key.rate_limit ?? 'none'}`,
    `scopes      ${key.scopes.join(',')}`,
    `expires     ${key.expires_at === null ? 'never' : formatTime(key.expires_at)}`,
    ...(key.name === null ? [] : [`name        ${key.name}`]),
  ].join('\n')
}

/** `2030-12-31 18:00Z`; a dash for never. */
function formatTime(time: Date | null): string {
  return time === null ? '-' : time.toISOString().replace(/^(.{10})T(.{5}).*/, '$1 $2Z')
}
