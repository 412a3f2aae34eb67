/** The pinned Deno, with the permissions of deno.json. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import * as v from 'valibot'
import { settingNames } from '../../api/config.ts'

const project = resolve(import.meta.dirname, '../..')

/** The pinned Deno, which the package of that name brings along. */
export const deno = join(dirname(createRequire(import.meta.url).resolve('deno/package.json')), 'deno')

const scope = v.union([v.literal(true), v.array(v.string())])
const schema = v.object({
  tasks: v.record(v.string(), v.object({ description: v.string(), command: v.string() })),
  permissions: v.record(
    v.string(),
    v.strictObject({
      read: scope,
      write: v.array(v.string()),
      net: v.optional(v.literal(true)),
      sys: v.optional(v.array(v.string())),
      env: v.strictObject({ allow: v.array(v.string()), ignore: v.literal(true) }),
      run: v.optional(v.array(v.string())),
    }),
  ),
})

/** The tasks of deno.json, and its sets of permissions. */
export const denoSettings = v.parse(schema, JSON.parse(readFileSync(join(project, 'deno.json'), 'utf8')))

/** Settings of whoever runs the tests must not reach a task; an empty one counts as unset. */
export const unset = Object.fromEntries(settingNames.map((name) => [name, '']))

/**
 * The flags for a set of permissions in deno.json. Relative paths count in the project's folder and in `directory`,
 * where the program is started.
 */
export function denoPermissions(name: string, directory: string): string[] {
  const set = denoSettings.permissions[name]
  if (set === undefined) throw new Error(`deno.json has no permissions called ${name}`)
  const both = (paths: readonly string[] | true) =>
    paths === true || paths.flatMap((path) => [resolve(project, path), resolve(directory, path)])
  const flag = (kind: string, values: readonly string[] | true) =>
    values === true ? [`--allow-${kind}`] : values.length > 0 ? [`--allow-${kind}=${values.join(',')}`] : []
  return [
    `--config=${join(project, 'deno.json')}`, // `deno serve` looks for it where it is started
    '--no-prompt',
    ...flag('read', both(set.read)),
    ...flag('write', both(set.write)),
    ...flag('net', set.net ?? []),
    ...flag('sys', set.sys ?? []),
    ...flag('env', set.env.allow),
    '--ignore-env',
    ...flag(
      'run',
      (set.run ?? []).map((program) => (program.startsWith('.') ? resolve(project, program) : program)),
    ),
  ]
}
