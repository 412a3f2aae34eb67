/**
 * `devdata keys …`
 *
 * @module
 */
import { type Command, Option } from 'commander'
import type { Sql } from '../database/connect.ts'
import { type RateLimit, type Role, roles, type Scope, scopes } from '../ledger/api-key.ts'
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

const idRule = ['<id>', 'id of the key; "devdata keys list" shows the ids'] as const
const jsonRule = ['--json', 'print JSON'] as const

/** Columns of `keys list`; the name, which may be long, is last. */
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
    .summary('create API keys, grant credits, revoke and delete keys')
    .description('Creates API keys, grants credits, sets rate limits, and revokes or deletes keys.')
    .addHelpText('after', '\nExamples:\n  devdata keys create --credits 1000\n  devdata keys list')
  addCreate(keys)
  addList(keys)
  addGrant(keys)
  addLimit(keys)
  addRotate(keys)
  addChange(keys, {
    name: 'revoke',
    summary: 'revoke a key until it is restored',
    change: revokeKey,
    done: 'is revoked: its next request will fail',
  })
  addChange(keys, {
    name: 'restore',
    summary: 'restore a revoked key',
    change: restoreKey,
    done: 'is no longer revoked',
  })
  addChange(keys, {
    name: 'delete',
    summary: 'delete a key for good; its ledger stays',
    change: deleteKey,
    done: 'is deleted',
  })
}

function addCreate(keys: Command): void {
  keys
    .command('create')
    .summary('create a key, and print it')
    .description('Creates a key, and prints it. It is shown only once, because only its hash is stored.')
    .addOption(
      new Option('--role <role>', 'user keys are charged, admin keys are not').choices(roles).default('user'),
    )
    .option('--credits <n>', 'initial balance', readBalance, 0)
    .option(
      '--rate-limit <n/seconds>',
      'requests per seconds, such as 100/60, or none (default: the setting DEFAULT_RATE_LIMIT)',
      readRateLimit,
    )
    .addOption(
      new Option('--scopes <scopes>', 'what the key may read')
        .argParser(readScopes)
        .default(scopes, scopes.join(',')),
    )
    .option(
      '--expires <date>',
      'when the key expires: a date (0:00 UTC) or a timestamp (default: never)',
      readExpiry,
    )
    .option('--name <text>', 'a name for the key', readName)
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
          print(`\nIt has no credits yet: devdata keys grant ${key.id} 1000`)
        }
      })
    })
}

function addList(keys: Command): void {
  keys
    .command('list')
    .summary('list all keys that are not deleted')
    .description(
      "Lists all keys that are not deleted, oldest first. It can't show the keys themselves, which are not stored.",
    )
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
    .summary('add credits to a key, or withdraw them')
    .description('Adds credits to a key. A negative number withdraws them; a balance never falls below 0.')
    .argument(...idRule, readKeyId)
    .argument('<credits>', 'number of credits', readGrant)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys grant 3 1000\n  devdata keys grant 3 -50')
    .action(async (id: number, credits: number, { json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const key = await grantCredits(sql, id, credits)
        if (json) return printJson(key)
        const change =
          credits > 0 ? `received ${countOf(credits, 'credit')}` : `lost ${countOf(-credits, 'credit')}`
        print(`Key ${id} ${change}; its balance is ${formatCount(key.remaining_credits)}`)
      })
    })
}

function addLimit(keys: Command): void {
  keys
    .command('limit')
    .summary("set or remove a key's rate limit")
    .description("Sets a key's rate limit: requests per window, and the window's seconds. none removes it.")
    .argument(...idRule, readKeyId)
    .argument('<n/seconds>', 'requests and seconds, such as 100/60, or none', readRateLimit)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys limit 3 100/60\n  devdata keys limit 3 none')
    .action(async (id: number, limit: RateLimit | null, { json }: { json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const key = await setRateLimit(sql, id, limit)
        if (json) return printJson(key)
        print(
          limit === null
            ? `Key ${id} no longer has a rate limit`
            : `Key ${id} may send ${countOf(limit.requests, 'request')} in ${countOf(limit.seconds, 'second')}`,
        )
      })
    })
}

function addRotate(keys: Command): void {
  keys
    .command('rotate')
    .summary('replace the secret of a key')
    .description(
      'Creates a new secret for a key, and prints it. Balance, limits and history stay as they are.',
    )
    .argument(...idRule, readKeyId)
    .option('--grace <seconds>', 'how long the old secret still works', readGrace, 0)
    .option(...jsonRule)
    .addHelpText('after', '\nExamples:\n  devdata keys rotate 3\n  devdata keys rotate 3 --grace 86400')
    .action(async (id: number, { grace, json }: { grace: number; json?: true }) => {
      await withDatabase({}, async ({ sql }) => {
        const { secret, key } = await rotateKey(sql, id, grace)
        if (json) return printJson(withSecret(key, secret))
        const old = grace === 0 ? 'no longer works' : `works for another ${countOf(grace, 'second')}`
        const status = key.status === 'active' ? '' : ` The key is still ${key.status}.`
        print(`${describeSecret(key, secret)}\n\nThe old secret ${old}.${status}`)
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

/** The secret comes right after the id. */
function withSecret({ id, ...rest }: KeySummary, secret: string) {
  const { role, remaining_credits, ...others } = rest
  return { id, api_key: secret, role, remaining_credits, ...others }
}

function describeSecret({ id }: KeySummary, secret: string): string {
  return `API key ${id}, shown only once:\n\n  ${secret}`
}

function describe(key: KeySummary): string {
  return [
    `role        ${key.role}`,
    `credits     ${key.role === 'admin' ? 'not charged' : formatCount(key.remaining_credits)}`,
    `rate limit  ${key.rate_limit ?? 'none'}`,
    `scopes      ${key.scopes.join(',')}`,
    `expires     ${key.expires_at === null ? 'never' : formatTime(key.expires_at)}`,
    ...(key.name === null ? [] : [`name        ${key.name}`]),
  ].join('\n')
}

/** `2030-12-31 18:00Z`; a dash means never. */
function formatTime(time: Date | null): string {
  return time === null ? '-' : time.toISOString().replace(/^(.{10})T(.{5}).*/, '$1 $2Z')
}
