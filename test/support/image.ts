/**
 * Builds what the Dockerfile builds, in a folder and without Docker: each step is read from the file and done as it
 * stands there. What it can't do, it refuses.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Copy, DockerfileParser, From, type Instruction, JSONInstruction } from 'dockerfile-ast'

const project = resolve(import.meta.dirname, '../..')

/** The Dockerfile as it stands in the repository. */
export const dockerfile = await readFile(join(project, 'Dockerfile'), 'utf8')

/** What a container would be started from. */
export interface Image {
  /** The folder that stands for `/`. */
  root: string
  /** Where the program is started, below the root. */
  workingDirectory: string
  /** Paths in it are below the root. */
  environment: Record<string, string>
  user: string
  command: string[]
  healthCheck: string[]
  /** The commands of stages that were given. */
  skipped: string[]
}

/** What differs from one build to another. */
export interface BuildOptions {
  /** Values of `ARG`s. */
  parameters: Record<string, string>
  /** The account that stands for the image's own user. */
  account: { uid: number; gid: number }
  /** Stages whose results are at hand: the folder that stands for a path of theirs. Nothing is done for them. */
  given: Record<string, Record<string, string>>
}

/** Does the steps of all stages in folders below `directory`, and returns what the last one leaves. */
export async function buildImage(
  directory: string,
  { parameters, account, given }: BuildOptions,
): Promise<Image> {
  const stages = new Map<string, (path: string) => string>()
  let isGiven = false
  const image: Image = {
    root: '',
    workingDirectory: '/',
    environment: {},
    user: 'root',
    command: [],
    healthCheck: [],
    skipped: [],
  }
  const here = (path: string) => join(image.root, resolve(image.workingDirectory, path))
  let known: Record<string, string> = {}
  const expand = (text: string) => text.replaceAll(/\$\{(\w+)\}/g, (_, name) => known[name] ?? '')

  for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
    const text = instruction.getArgumentsContent() ?? ''
    if (isGiven && instruction.getKeyword() !== 'FROM') {
      if (instruction.getKeyword() === 'RUN') image.skipped.push(text)
      continue
    }
    switch (instruction.getKeyword()) {
      case 'FROM': {
        const name = instruction instanceof From ? instruction.getBuildStage() : null
        known = {}
        Object.assign(image, {
          root: join(directory, name ?? 'image'),
          workingDirectory: '/',
          environment: {},
          user: 'root',
        })
        await mkdir(image.root, { recursive: true })
        const { root } = image
        const paths = given[name ?? '']
        isGiven = paths !== undefined
        if (name) stages.set(name, (path) => (paths === undefined ? join(root, path) : (paths[path] ?? '')))
        break
      }
      case 'WORKDIR':
        image.workingDirectory = text
        await mkdir(here('.'), { recursive: true })
        break
      case 'ARG': {
        const value = parameters[text]
        if (value !== undefined) known[text] = value
        break
      }
      case 'ENV':
        for (const pair of text.split(' ')) {
          const [name = '', value = ''] = pair.split('=')
          image.environment[name] = expand(value)
        }
        break
      case 'COPY':
        await copy(instruction, here, stages)
        break
      case 'RUN':
        await run(text, here('.'), {
          environment: { ...known, ...image.environment },
          root: image.root,
          account,
        })
        break
      case 'USER':
        image.user = text
        break
      case 'HEALTHCHECK':
        image.healthCheck = readCommand(text.replace(/^.*?CMD /, ''))
        break
      case 'CMD':
        image.command = instruction instanceof JSONInstruction ? readCommand(text) : []
        break
      case 'EXPOSE':
        break
      default:
        throw new Error(`the Dockerfile has a step that is not known here: ${instruction.getKeyword()}`)
    }
  }
  const { DATA_DIR = '' } = image.environment
  return { ...image, environment: { ...image.environment, DATA_DIR: join(image.root, DATA_DIR) } }
}

function readCommand(text: string): string[] {
  const words: unknown = JSON.parse(text)
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    throw new Error(`not a command in the form that needs no shell: ${text}`)
  }
  return words
}

async function copy(
  instruction: Instruction,
  here: (path: string) => string,
  stages: ReadonlyMap<string, (path: string) => string>,
): Promise<void> {
  const words = instruction.getArguments().map((argument) => argument.getValue())
  const target = here(words.at(-1) ?? '.')
  const stage = instruction instanceof Copy ? instruction.getFromFlag()?.getValue() : undefined
  if (stage) {
    const find = stages.get(stage)
    if (find === undefined) throw new Error(`the Dockerfile copies from ${stage}, which is no stage before`)
    const [source = ''] = words
    await mkdir(dirname(target), { recursive: true })
    await cp(find(source), target, { recursive: true, verbatimSymlinks: true })
    return
  }
  const ignored = await readIgnored()
  for (const word of words.slice(0, -1)) {
    const source = join(project, word)
    const isFile = (await stat(source)).isFile()
    if (isFile && ignored(source))
      throw new Error(`the Dockerfile copies ${word}, which .dockerignore leaves out`)
    await cp(source, isFile ? join(target, word) : target, {
      recursive: true,
      filter: (path) => !ignored(path),
    })
  }
}

/** What .dockerignore leaves out, written in the few forms that it uses: all, but some, and a name anywhere. */
async function readIgnored(): Promise<(path: string) => boolean> {
  const lines = (await readFile(join(project, '.dockerignore'), 'utf8')).split('\n')
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const [first, ...others] = rules
  const kept = others.filter((rule) => /^![\w.-]+$/.test(rule)).map((rule) => rule.slice(1))
  const anywhere = others
    .filter((rule) => /^\*\*\/[\w.-]+$/.test(rule))
    .map((rule) => rule.slice('**/'.length))
  if (first !== '*' || kept.length + anywhere.length !== others.length) {
    throw new Error('.dockerignore has a rule that is not known here')
  }
  return (path) => {
    const [top = '', ...below] = relative(project, path).split('/')
    return (top !== '' && !kept.includes(top)) || below.some((name) => anywhere.includes(name))
  }
}

interface RunOptions {
  environment: Record<string, string>
  root: string
  account: { uid: number; gid: number }
}

async function run(
  text: string,
  directory: string,
  { environment, root, account }: RunOptions,
): Promise<void> {
  const command = text
    .replaceAll(/(?<= )\/(?=\w)/g, `${root}/`)
    .replaceAll('node:node', `${account.uid}:${account.gid}`)
  await promisify(execFile)('/bin/sh', ['-ec', command], {
    cwd: directory,
    env: { ...process.env, ...environment }, // npm may be told there where its registry is
  })
}

/** What a folder takes, in bytes, and the files in it, by path. */
export async function measureFolder(directory: string): Promise<{ bytes: number; files: string[] }> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return {
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    files: files.map((file) => relative(directory, file)),
  }
}
