/**
 * The files of `deploy/` that operators copy: the unit for systemd, the dashboard for Grafana and the base for
 * Kubernetes. The alerts have a test of their own.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../api/config.ts'
import { createInstance } from '../support/instance.ts'
import { succeeds } from '../support/program.ts'
import { hasPrometheus } from '../support/prometheus.ts'
import { anyDatabase, startTestService, type TestService } from '../support/service.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '..', '..')
const deploy = join(project, 'deploy')
const readText = (name: string) => readFile(join(project, name), 'utf8')

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'devdata-deploy-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const hasSystemd = await succeeds('systemd-analyze', '--version')
const hasKustomize = await succeeds('kubectl', 'kustomize', join(deploy, 'kubernetes/overlays/example'))
if (!hasSystemd) console.warn('The unit is not analyzed: install systemd')
if (!hasKustomize) console.warn('The base for Kubernetes is not built: install kubectl 1.30 or later')

describe('the units for systemd', () => {
  test('starts the packed service, as the image does, with the options of npm start', async () => {
    const [, started] = /^ExecStart=(.*)$/m.exec(await readText('deploy/devdata.service')) ?? []
    expect(started).toBe('/srv/devdata/bin/devdata start')
    expect(await readText('Dockerfile')).toContain('CMD ["node", "bin/devdata.mjs", "start"]')
    const program = await readText('release/devdata.mjs')
    const options = program.match(/(?<=')--[a-z-]+(?:=\d+)?(?=',)/g)?.join(' ')
    const { scripts } = JSON.parse(await readText('package.json'))
    expect(scripts.start).toBe(`exec node ${options} api/node.ts`)
    const [, ofCommands] = /setFlagsFromString\('(.+)'\)/.exec(program) ?? []
    expect(scripts.devdata).toContain(` ${ofCommands} `)
  })

  test.skipIf(!hasSystemd).each(['devdata.service', 'devdata-refresh.service'])(
    '%s is valid in another folder, too, and gives the program few rights',
    async (name) => {
      const folder = join(directory, 'opt')
      await mkdir(join(folder, 'bin'), { recursive: true })
      await symlink(process.execPath, join(folder, 'bin/devdata')).catch(() => {}) // both units start it
      const unit = join(directory, name)
      const text = await readText(`deploy/${name}`)
      await writeFile(unit, text.replaceAll('/srv/devdata', folder))
      const { stderr } = await run('systemd-analyze', ['verify', unit])
      expect(stderr).toBe('')
      // Tenths: systemd calls everything up to 3.0 well protected.
      const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--threshold=30', unit])
      const [, score] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
      expect(Number(score)).toBeLessThan(2)
    },
  )

  test.skipIf(!hasSystemd)('the timer is valid, and starts the refresh', async () => {
    const timer = join(directory, 'devdata-refresh.timer')
    await writeFile(timer, await readText('deploy/devdata-refresh.timer'))
    await writeFile(
      join(directory, 'devdata-refresh.service'),
      '[Service]\nType=oneshot\nExecStart=/bin/true\n',
    )
    const { stderr } = await run('systemd-analyze', ['verify', timer])
    expect(stderr).toBe('')
  })
})

test.each([
  ['deploy/devdata.service', /TimeoutStopSec=(\d+)/],
  ['deploy/kubernetes/base/deployment.yaml', /terminationGracePeriodSeconds: (\d+)/],
  ['compose.yaml', / {2}api:\n(?:.*\n)*? {4}stop_grace_period: (\d+)s/],
  ['docs-site/src/content/docs/containers.md', /--stop-timeout (\d+)/],
])('%s gives the service the time that a stop may take', async (name, pattern) => {
  const [, seconds] = pattern.exec(await readText(name)) ?? []
  expect(Number(seconds)).toBeGreaterThanOrEqual(
    readConfig({}, { terminal: false }).shutdownDelaySeconds + 25,
  )
})

const dashboardSchema = v.object({
  templating: v.object({ list: v.array(v.object({ name: v.string() })) }),
  panels: v.array(
    v.object({
      id: v.number(),
      title: v.string(),
      targets: v.array(v.object({ expr: v.string() })),
      gridPos: v.object({ x: v.number(), y: v.number(), w: v.number(), h: v.number() }),
    }),
  ),
})

describe('the dashboard for Grafana', async () => {
  const { panels, templating } = v.parse(
    dashboardSchema,
    JSON.parse(await readText('deploy/grafana-dashboard.json')),
  )
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

  test('asks for metrics that the service has, with labels that they have', async () => {
    const service: TestService = await startTestService(anyDatabase)
    const { app } = createInstance(service)
    const { secret } = await service.createKey({ role: 'admin' })
    const scrape = async () =>
      (await app.request('/metrics', { headers: { Authorization: `Bearer ${secret}` } })).text()
    await scrape()
    const scraped = await scrape()
    await service.close()
    const documented = await readText('docs-site/src/content/docs/observing.md')
    for (const expression of expressions) {
      for (const [, name = ''] of expression.matchAll(/\b((?:devdata|process)_\w+)\{/g)) {
        // Without replicas, those of replicas have no series.
        const hasType = scraped.includes(`# TYPE ${name.replace(/_bucket$/, '')} `)
        expect([name, hasType]).toEqual([name, true])
        expect([name, documented.includes(name.replace(/_bucket$/, ''))]).toEqual([name, true])
      }
      for (const [, labels = ''] of expression.matchAll(/by \(([^)]*)\)/g)) {
        for (const label of labels.split(', ')) {
          const isKnown = ['le', 'instance', 'replica'].includes(label) || scraped.includes(`${label}="`)
          expect([label, isKnown]).toEqual([label, true])
        }
      }
    }
  })

  test('shows every metric of the service, each panel in its own place', async () => {
    const { name: variables } = { name: templating.list.map(({ name }) => name) }
    expect(variables).toEqual(['datasource', 'job'])
    const documented = [
      ...(await readText('docs-site/src/content/docs/observing.md')).matchAll(/`((?:devdata|process)_\w+)`/g),
    ].map(([, name = '']) => name)
    const shown = expressions.join('\n')
    expect([...new Set(documented)].filter((name) => !shown.includes(name))).toEqual([])
    const cells = panels.flatMap(({ id, gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => [`${x + (index % w)} ${y + Math.floor(index / w)}`, id]),
    )
    expect(new Set(cells.map(([cell]) => cell)).size).toBe(cells.length)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  })

  test.runIf(hasPrometheus)('has expressions that Prometheus understands', async () => {
    const rules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$job', 'devdata'),
    }))
    const file = join(directory, 'rules.yml')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    await run('promtool', ['check', 'rules', file])
  })
})

/** What the tests read of an object. */
interface Manifest {
  kind: string
  metadata: { name: string; namespace?: string; labels: Record<string, string> }
  // biome-ignore lint/suspicious/noExplicitAny: its form depends on its kind
  spec: any
}

describe.skipIf(!hasKustomize)('the base for Kubernetes', () => {
  let objects: Manifest[]
  beforeAll(async () => {
    const { stdout } = await run('kubectl', ['kustomize', join(deploy, 'kubernetes/overlays/example')])
    objects = parseAllDocuments(stdout).map((document) => document.toJS() as Manifest)
  })
  const find = (kind: string) => objects.find((object) => object.kind === kind) ?? expect.fail(kind)
  const readTemplates = () =>
    [
      find('Deployment').spec.template,
      find('Job').spec.template,
      find('CronJob').spec.jobTemplate.spec.template,
    ] as const

  test('is built by an overlay, with what a deployment needs', () => {
    expect(objects.map(({ kind }) => kind).sort()).toEqual([
      ...['ConfigMap', 'CronJob', 'Deployment', 'Job', 'PodDisruptionBudget'],
      ...['Secret', 'Secret', 'Secret', 'Secret', 'Service'],
    ])
    for (const { metadata } of objects) expect(metadata.namespace).toBe('devdata')
    const labels = find('Deployment').spec.template.metadata.labels
    for (const selector of [
      find('Deployment').spec.selector.matchLabels,
      find('Service').spec.selector,
      find('PodDisruptionBudget').spec.selector.matchLabels,
    ]) {
      expect(labels).toMatchObject(selector)
    }
    for (const template of readTemplates().slice(1)) {
      expect(template.metadata.labels).not.toMatchObject(find('Service').spec.selector)
    }
  })

  test('names settings and secrets that exist, and settings that the service has', async () => {
    const names = objects
      .filter(({ kind }) => /^(ConfigMap|Secret)$/.test(kind))
      .map(({ metadata }) => metadata.name)
    for (const { spec } of readTemplates()) {
      for (const source of spec.containers[0].envFrom) {
        expect(names).toContain((source.configMapRef ?? source.secretRef).name)
      }
      for (const { secret } of spec.volumes ?? []) if (secret) expect(names).toContain(secret.secretName)
    }
    const settings = await readText('docs-site/src/content/docs/settings.md')
    for (const object of objects) {
      const data = object.kind === 'ConfigMap' ? (object as unknown as { data: object }).data : {}
      for (const name of Object.keys(data)) {
        expect([name, name === 'GITHUB_IMPORT' || settings.includes(`\`${name}\``)]).toEqual([name, true])
      }
    }
  })

  test('gives containers no rights that they don’t need', () => {
    for (const { spec } of readTemplates()) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      })
      for (const { securityContext, resources } of spec.containers) {
        expect(securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          capabilities: { drop: ['ALL'] },
        })
        expect(resources).toMatchObject({ requests: { memory: expect.any(String) }, limits: {} })
      }
    }
  })

  test('deletes a finished migration, because no setting of a job can be changed', () => {
    expect(find('Job').spec.ttlSecondsAfterFinished).toBeGreaterThan(0)
  })

  test('probes paths of the service', async () => {
    const [{ livenessProbe, readinessProbe, ports }] = find('Deployment').spec.template.spec.containers
    expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(['/version', '/health'])
    expect(ports[0].containerPort).toBe(8000)
    for (const { spec } of readTemplates().slice(1)) {
      expect(spec.containers[0].command.join(' ')).toMatch(/devdata (migrate|import github)/)
    }
  })
})
