/**
 * The image of the Dockerfile, built by buildah on a base that has Node and no shell, and started as container engines
 * do with `--read-only`: with its own root, as the image's user, in the image's environment.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chown,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import * as v from 'valibot'
import { type RunningProgram, startProgram, succeeds } from './program.ts'

const run = promisify(execFile)
const project = resolve(import.meta.dirname, '..', '..')

/** The ids of the user `node` in the official images of Node. */
const user = { uid: 1000, gid: 1000 }

/** Why no image can be built here, if so. Mounts need root. */
export async function findImageObstacle(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'images are built on Linux'
  if (userInfo().uid !== 0) return 'only root can mount an image'
  return (await succeeds('buildah', '--version')) ? undefined : 'no buildah found; install it'
}

const configSchema = v.object({
  Docker: v.object({
    config: v.object({
      User: v.string(),
      Env: v.array(v.string()),
      Cmd: v.tupleWithRest([v.string()], v.string()),
      WorkingDir: v.string(),
      Labels: v.record(v.string(), v.string()),
      Healthcheck: v.object({ Test: v.array(v.string()) }),
    }),
  }),
})

/** A built image, and its files in a folder. */
export interface Image extends AsyncDisposable {
  config: v.InferOutput<typeof configSchema>['Docker']['config']
  /** The folder that is the container's root. */
  root: string
  /** The folder that is mounted at `/data`, which belongs to the image's user. */
  volume: string
  /** Starts the service with settings beside the image's. */
  start(settings: Record<string, string>): Promise<RunningProgram>
  /** Runs a command. */
  run(command: readonly string[], settings?: Record<string, string>): Promise<{ stdout: string }>
}

/** Builds the image with the build arguments. */
export async function buildImage(buildArguments: Record<string, string>): Promise<Image> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'devdata-image-')))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const store = ['--root', join(directory, 'store'), '--runroot', join(directory, 'run')]
  const buildah = async (...parameters: string[]) => {
    const { stdout } = await run('buildah', [...store, ...parameters], { cwd: directory, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }
  const dockerfile = await readFile(join(project, 'Dockerfile'), 'utf8')
  await mkdir(join(project, 'dist'), { recursive: true })
  const stage = await mkdtemp(join(project, 'dist', 'image-')) // the docs are built inside of the project
  stack.defer(() => rm(stage, { recursive: true, force: true }))
  await runFirstStage(stage, dockerfile, buildArguments)
  const [, base = ''] = /^FROM (\S+) AS app$/m.exec(dockerfile) ?? []
  const scratch = await buildah('from', 'scratch')
  await buildah('copy', '--quiet', scratch, await createBase(join(directory, 'base')), '/')
  await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin', scratch)
  await buildah('commit', '--quiet', scratch, base)
  const values = Object.entries(buildArguments).flatMap(([name, value]) => [
    '--build-arg',
    `${name}=${value}`,
  ])
  const from = ['--build-context', `build=${stage}`, '--file', join(project, 'Dockerfile')]
  await buildah('build', '--pull-never', '--format', 'docker', '--tag', 'devdata', ...values, ...from, stage)
  const container = await buildah('from', '--pull-never', 'devdata')
  const root = await buildah('mount', container)
  stack.defer(async () => void (await buildah('umount', container)))
  const { config } = v.parse(
    configSchema,
    JSON.parse(await buildah('inspect', '--type', 'image', 'devdata')),
  ).Docker
  const volume = join(directory, 'volume')
  await mkdir(volume)
  await chown(volume, user.uid, user.gid)

  const mounts = [
    'mount --bind "$ROOT" "$ROOT"',
    'mount --bind "$VOLUME" "$ROOT/data"',
    'mount -t proc proc "$ROOT/proc"',
    'mount --rbind /dev "$ROOT/dev"',
    'mount -o remount,ro,bind "$ROOT"',
  ]
  const enter = `exec env -u ROOT -u VOLUME -u HOME -u NODE_COMPILE_CACHE PATH="$IMAGE_PATH" \
    /usr/bin/unshare --root="$ROOT" --wd="$WORKDIR" --setgid=${user.gid} --setuid=${user.uid} "$@"`
  const { PATH: imagePath = '', ...imageSettings } = Object.fromEntries(
    config.Env.map((each) => /^(\w+)=(.*)$/s.exec(each)?.slice(1) ?? []),
  )
  const place = { ROOT: root, VOLUME: volume, WORKDIR: config.WorkingDir, IMAGE_PATH: imagePath }
  const wrap = (command: readonly string[]) => [
    'unshare',
    '--mount',
    'sh',
    '-ec',
    [...mounts, enter].join('; '),
    'sh',
    ...command,
  ]

  const built = stack.move()
  return {
    config,
    root,
    volume,
    start: (settings) =>
      startProgram(wrap(config.Cmd), {
        directory,
        environment: { ...imageSettings, HOST: '127.0.0.1', PORT: '0', ...settings, ...place },
        announcement: /listening on http:\/\/127\.0\.0\.1:(\d+)/i,
      }),
    run(command, settings = {}) {
      const [program = '', ...parameters] = wrap(command)
      const env = { PATH: process.env.PATH, ...imageSettings, ...settings, ...place }
      return run(program, parameters, { cwd: directory, env })
    },
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  }
}

/**
 * Runs the steps of the first stage, but for the installation of packages, in a folder with what .dockerignore
 * includes. The other stages copy from it.
 */
async function runFirstStage(
  directory: string,
  dockerfile: string,
  buildArguments: Record<string, string>,
): Promise<void> {
  const included =
    (await readFile(join(project, '.dockerignore'), 'utf8')).match(/(?<=^!)(?!\.git\/).+$/gm) ?? []
  const filter = (path: string) => !/\/(node_modules|\.astro)$/.test(path)
  for (const name of included)
    await cp(join(project, name), join(directory, name), { recursive: true, filter })
  await symlink(join(project, 'node_modules'), join(directory, 'node_modules'))
  const [, stage = ''] = /^COPY \. \.\n((?:(?!FROM ).*\n)*)/m.exec(dockerfile) ?? []
  for (const [, step = ''] of stage.matchAll(/^RUN ((?:.*\\\n)*.*)$/gm)) {
    const script = step.replaceAll(/(?<= )\/(?=image|volume)/g, `${directory}/`)
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...buildArguments }
    await run('sh', ['-ec', script], { cwd: directory, env })
  }
}

/** The files of an image with Node and what it links: no shell, and no other program but `env`. */
async function createBase(directory: string): Promise<string> {
  const programs = [
    [process.execPath, '/usr/local/bin/node'],
    ['/usr/bin/env', '/usr/bin/env'],
  ] as const
  const add = async (from: string, to: string) => {
    const path = join(directory, to)
    if (existsSync(path)) return
    await mkdir(dirname(path), { recursive: true })
    await copyFile(from, path)
  }
  for (const [from, to] of programs) {
    await add(from, to)
    const { stdout } = await run('ldd', [from])
    for (const [library] of stdout.matchAll(/\/\S+/g)) await add(library, library)
  }
  for (const name of ['proc', 'dev', 'tmp', 'etc']) await mkdir(join(directory, name), { recursive: true })
  const [account, group] = [`node:x:${user.uid}:${user.gid}::/:`, `node:x:${user.gid}:`]
  await writeFile(join(directory, 'etc/passwd'), `${account}\n`)
  await writeFile(join(directory, 'etc/group'), `${group}\n`)
  return directory
}
