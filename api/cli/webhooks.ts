/** `devdata webhooks …` */
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { readConfig, readEnvironment } from '../config.ts'
import { OperatorError } from '../errors.ts'
import { listNotices, type NoticeSummary } from '../ledger/webhook-notices.ts'
import { sendMessage } from '../webhooks/webhook.ts'
import { type Column, formatTable, formatTime } from './output.ts'
import { withDatabase } from './session.ts'

interface JsonOption {
  json?: true
}

const maxListed = 100

const columns: readonly Column<NoticeSummary>[] = [
  { header: 'ID', cell: ({ id }) => String(id), numeric: true },
  { header: 'KIND', cell: ({ kind }) => kind },
  { header: 'KEY', cell: ({ key_id }) => (key_id === null ? '-' : String(key_id)), numeric: true },
  { header: 'CREATED', cell: (notice) => formatTime(notice.created_at) },
  { header: 'STATE', cell: ({ state }) => state.replace('_', ' ') },
  { header: 'ATTEMPTS', cell: ({ attempts }) => String(attempts), numeric: true },
  { header: 'NEXT ATTEMPT', cell: (notice) => formatTime(notice.next_attempt_at) },
  { header: 'LAST ERROR', cell: ({ last_error }) => last_error ?? '' },
]

/** Adds `webhooks` and its commands. */
export function addWebhooksCommands(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('Test the webhook of WEBHOOK_URL, and list the notices that are sent there')
    .addHelpText('after', '\nExamples:\n  devdata webhooks test\n  devdata webhooks list')
  webhooks
    .command('test')
    .description('Send a message of type webhook.test to WEBHOOK_URL, signed with WEBHOOK_SECRET, once')
    .option('--json', 'print JSON: the id of the message')
    .addHelpText('after', '\nExamples:\n  devdata webhooks test\n  devdata webhooks test --json')
    .action(test)
  webhooks
    .command('list')
    .description(
      `List the newest ${maxListed} notices: what waits, what was delivered, and why an attempt failed`,
    )
    .option('--json', 'print JSON, with the data of each notice')
    .addHelpText('after', '\nExamples:\n  devdata webhooks list\n  devdata webhooks list --json')
    .action(list)
}

async function test({ json }: JsonOption): Promise<void> {
  const { webhook } = readConfig(readEnvironment(process.env))
  if (webhook === undefined) throw new OperatorError('WEBHOOK_URL is not set; set it, and WEBHOOK_SECRET')
  const id = `msg_${randomUUID()}`
  const error = await sendMessage(webhook, {
    ...{ id, type: 'webhook.test', timestamp: new Date().toISOString() },
    data: { text: 'This message was sent by "devdata webhooks test".' },
  })
  if (error !== undefined) throw new OperatorError(`The message wasn't delivered: ${error}`)
  console.log(json ? JSON.stringify({ id }) : 'The receiver has accepted the message')
}

function list({ json }: JsonOption): Promise<void> {
  return withDatabase({}, async ({ sql }) => {
    const notices = await listNotices(sql, maxListed)
    if (json) console.log(JSON.stringify(notices))
    else console.log(notices.length === 0 ? 'There are no notices' : formatTable(columns, notices))
  })
}
