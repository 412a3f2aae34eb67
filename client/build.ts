/**
 * `npm run client`: generates the client's types from openapi.yml, and compiles the packages in this folder to JavaScript,
 * the client's with declarations. `npm pack ./client` and `npm pack ./client/mcp` then make what is published.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { parse } from 'yaml'

const project = join(import.meta.dirname, '..')
const compiler = join(project, 'node_modules/@typescript/native/bin/tsc')

/** The file of generated types. */
export const schemaFile = join(import.meta.dirname, 'src/schema.ts')

/** The folder of `devdata-mcp`. */
export const mcpDirectory = join(import.meta.dirname, 'mcp')

/** Generates the types of the bodies that openapi.yml describes. */
export async function generateSchema(): Promise<string> {
  const { openapi, info, components } = parse(await readFile(join(project, 'openapi.yml'), 'utf8'))
  const { schemas } = components
  const nodes = await openapiTS({ openapi, info, components: { schemas } })
  return `// Generated from openapi.yml by \`npm run client\`.\n${astToString(nodes)}`
}

/**
 * Compiles a package into a folder: JavaScript without comments, and for a library declarations with them, where editors
 * look for them. Throws with what the compiler says.
 */
export async function compile(
  directory: string,
  outDirectory = join(directory, 'dist'),
  { isLibrary = true } = {},
): Promise<void> {
  await rm(outDirectory, { recursive: true, force: true })
  const declarations = isLibrary ? [['--emitDeclarationOnly']] : []
  for (const options of [...declarations, ['--declaration', 'false', '--removeComments']]) {
    const parameters = [compiler, '--project', directory, '--outDir', outDirectory, ...options]
    await promisify(execFile)(process.execPath, parameters).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout)
    })
  }
}

if (import.meta.main) {
  await writeFile(schemaFile, await generateSchema())
  await compile(import.meta.dirname)
  await compile(mcpDirectory, undefined, { isLibrary: false })
}
