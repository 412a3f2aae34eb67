/**
 * The message that a start prints when the service is ready.
 *
 * @module
 */
import type { Config } from '../config.ts'
import { localOrigin } from './local-url.ts'
import type { DemoKeys } from './trial.ts'

/** Names the URLs, the database, and the demo keys of a trial with a request to try. */
export function formatReadyMessage({
  config,
  port,
  keys,
}: {
  config: Config
  port: number
  keys: DemoKeys | undefined
}): string {
  const local = localOrigin({ host: config.host, port })
  const base = config.baseUrl ?? local
  const lines = [
    '',
    `devdata is ready at ${base}${config.baseUrl === undefined ? '' : ` (listening on ${local})`}`,
    `  docs     ${base}/docs`,
    `  viewer   ${base}/api-docs`,
    `  data     ${config.databaseUrl === undefined ? config.dataDirectory : 'PostgreSQL (DATABASE_URL)'}`,
  ]
  if (keys?.user !== undefined) lines.push(`  user key ${keys.user}`)
  if (keys?.admin !== undefined) lines.push(`  admin    ${keys.admin}`)
  if (keys?.user !== undefined) {
    const curl = `curl -H 'Authorization: Bearer ${keys.user}' '${base}/users?location=berlin&per_page=2'`
    lines.push('', 'Try it:', `  ${curl}`)
  } else {
    lines.push('  keys     npm run -s devdata -- keys create --credits 1000')
  }
  return `${lines.join('\n')}\n\n`
}
