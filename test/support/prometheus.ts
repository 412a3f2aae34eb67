/** Prometheus from the binaries of the machine. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import * as v from 'valibot'
import { findFreePort } from './postgres-process.ts'
import { startProgram } from './program.ts'

/** Why tests that need it are skipped where `hasPrometheus` is false. */
const prometheusMissing = 'no prometheus and promtool found; install them'

/** Whether the machine has Prometheus with its tool. */
export const hasPrometheus = ['prometheus', 'promtool'].every((name) =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, name))),
)
if (!hasPrometheus) {
  if (process.env.CI) throw new Error(`CI must not skip the tests of alerts: ${prometheusMissing}`)
  console.warn(`Tests of alerts are skipped: ${prometheusMissing}`)
}

/** What a Prometheus does. */
export interface PrometheusOptions {
  /** The text of a file of rules. */
  rules: string
  /** Host and port of each instance. */
  targets: readonly string[]
  /** The key that it scrapes with. */
  key: string
  scrapeSeconds: number
}

/** A running Prometheus, on a free port of 127.0.0.1. */
export interface Prometheus extends AsyncDisposable {
  /** The names of the alerts that fire, each with its instance if it has one. */
  listFiring(): Promise<string[]>
}

const alertsSchema = v.object({
  data: v.object({
    alerts: v.array(
      v.object({
        state: v.string(),
        labels: v.object({ alertname: v.string(), instance: v.optional(v.string()) }),
      }),
    ),
  }),
})

/** Starts it with a job "devdata". */
export async function startPrometheus({
  rules,
  targets,
  key,
  scrapeSeconds,
}: PrometheusOptions): Promise<Prometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'devdata-prometheus-'))
  const interval = `${scrapeSeconds}s`
  await writeFile(join(directory, 'alerts.yml'), rules)
  await writeFile(join(directory, 'key'), key)
  const settings = {
    global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: '1s' },
    rule_files: ['alerts.yml'],
    scrape_configs: [
      { job_name: 'devdata', authorization: { credentials_file: 'key' }, static_configs: [{ targets }] },
    ],
  }
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(settings)) // YAML, too
  const origin = `127.0.0.1:${await findFreePort()}`
  const program = await startProgram(
    [
      'prometheus',
      '--config.file=prometheus.yml',
      '--storage.tsdb.path=data',
      `--web.listen-address=${origin}`,
    ],
    { directory, environment: {}, announcement: /(Server is ready to receive web requests)/ },
  )
  return {
    async listFiring() {
      const response = await fetch(`http://${origin}/api/v1/alerts`)
      const { data } = v.parse(alertsSchema, await response.json())
      const firing = data.alerts.filter(({ state }) => state === 'firing')
      return firing.map(({ labels }) => [labels.alertname, labels.instance].join(' ').trim()).sort()
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
