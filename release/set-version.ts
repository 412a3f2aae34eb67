/**
 * `npm run set-version -- 0.2.0` prepares a release: it writes the version wherever it is named, gives the changelog
 * its heading with today's date, and moves the lines of `changes/` there.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assembleChanges, listChangeFiles } from '../changes/assemble.ts'

const project = join(import.meta.dirname, '..')

/** Files that name the version of the service or of a client, for readers and programs. */
const named =
  /^(package|package-lock|client\/package|client\/deno|client\/mcp\/package)\.json$|^(README\.md|openapi\.yml)$|^client\/.*\.(md|toml|py)$|^client\/src\/shell\/version\.ts$|^deploy\/kubernetes\/|^docs-site\/(samples\.ts|src\/(content|responses)\/)/

/** Whether a file names the version. */
export const namesVersion = (path: string): boolean => named.test(path)

/**
 * Versions where such a file names its own. What happened in an earlier version, as pages tell it, has other words
 * before it.
 */
const versions =
  /(?<=devdata[_-](?:client-|mcp-)?|(?:"version"|version|__version__|newTag)"?(?::| =) ?["']?|, version |REPOSITORY(?:-import)?:)\d+\.\d+\.\d+(?![\d.]*\d)/g

/** Of package-lock.json, the first two are those of the project, and of its folder among the packages. */
const countVersions = (path: string) => (path === 'package-lock.json' ? 2 : Number.POSITIVE_INFINITY)

/** The versions that the text of such a file names. */
export const findVersions = (path: string, text: string): string[] =>
  (text.match(versions) ?? []).slice(0, countVersions(path))

/** Writes another version into the text of such a file. */
export function replaceVersion(path: string, text: string, from: string, to: string): string {
  let left = countVersions(path)
  return text.replaceAll(versions, (old) => (left-- > 0 && old === from ? to : old))
}

/**
 * Puts the heading of a new version before the newest one, with the sections that the changes name, in the order of
 * that one. A subsection that the newest version lacks comes first in its section.
 */
export function addHeading(changelog: string, heading: string, sections: readonly string[]): string {
  const [start = '', newest = '', ...older] = changelog.split(/^(?=## )/m)
  const lines = [`## ${heading}`]
  for (const whole of newest.split(/^(?=### )/m)) {
    const [, section] = /^### (.*)$/m.exec(whole) ?? []
    const used = sections.filter((each) => each === section || each.startsWith(`${section} / `))
    if (section === undefined || used.length === 0) continue
    const parts = new Set(used.flatMap((each) => each.split(' / ').slice(1)))
    const known = Array.from(whole.matchAll(/^#### (.*)$/gm), ([, part = '']) => part)
    const ordered = [...parts]
      .filter((part) => !known.includes(part))
      .concat(known.filter((part) => parts.has(part)))
    lines.push(`### ${section}`, ...ordered.map((part) => `#### ${part}`))
  }
  return `${start}${lines.join('\n\n')}\n\n${newest}${older.join('')}`
}

if (process.argv[1] === import.meta.filename) {
  const [to = ''] = process.argv.slice(2)
  if (!/^\d+\.\d+\.\d+$/.test(to)) throw new Error('Name the new version: npm run set-version -- 0.2.0')
  const read = (path: string) => readFileSync(join(project, path), 'utf8')
  const write = (path: string, text: string) => writeFileSync(join(project, path), text)
  const { version: from } = JSON.parse(read('package.json'))
  const files = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' })
    .split('\n')
    .filter(namesVersion)
  for (const path of files) write(path, replaceVersion(path, read(path), from, to))
  const sections = listChangeFiles().map((file) => readFileSync(file, 'utf8').split('\n', 1).join(''))
  const today = new Date().toISOString().slice(0, 10)
  write('CHANGELOG.md', addHeading(read('CHANGELOG.md'), `${to} (${today})`, sections))
  assembleChanges()
  console.log(
    'Look at the difference, describe the version below its heading in CHANGELOG.md, then run: npm run client && npm run fixture',
  )
}
