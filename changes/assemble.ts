/** Moves the lines of `changes/` into the newest version of CHANGELOG.md: `npm run changes`. */
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'

const directory = import.meta.dirname
const changelogFile = join(directory, '..', 'CHANGELOG.md')

/** Lists the files of changes that are not in the changelog yet, in alphabetical order. */
export function listChangeFiles(): string[] {
  return globSync('*.md', { cwd: directory, exclude: ['README.md'] })
    .sort()
    .map((name) => join(directory, name))
}

/** Adds one change to the newest version of a changelog. Throws if the change names no section of it, or has no line. */
export function addChange(changelog: string, change: string): string {
  const [heading = '', ...rest] = change.trim().split('\n')
  const lines = rest.filter((line) => line.trim() !== '')
  const [section = '', subsection = ''] = heading.split(' / ')
  if (lines.length === 0 || !lines.every((line) => line.startsWith('- ') || line.startsWith('  '))) {
    throw new Error(`"${heading}": must be followed by a list, whose lines begin with "- "`)
  }
  const all = changelog.split('\n')
  const version = all.findIndex((line) => line.startsWith('## '))
  let place = findHeading(all, `### ${section}`, version, findNext(all, version, '## '))
  if (place === undefined) {
    throw new Error(`"${heading}": the newest version in CHANGELOG.md has no "### ${section}"`)
  }
  if (subsection !== '') {
    place = findHeading(all, `#### ${subsection}`, place, findNext(all, place, '### '))
    if (place === undefined)
      throw new Error(`"${heading}": "### ${section}" in CHANGELOG.md has no "#### ${subsection}"`)
  }
  let end = Math.min(...['## ', '### ', '#### '].map((prefix) => findNext(all, place, prefix)))
  while (all[end - 1]?.trim() === '') end--
  const gap = all[end - 1]?.startsWith('#') ? [''] : [] // below the heading of a section without lines
  return [...all.slice(0, end), ...gap, ...lines, ...all.slice(end)].join('\n')
}

function findHeading(
  lines: readonly string[],
  heading: string,
  start: number,
  end: number,
): number | undefined {
  const index = lines.indexOf(heading, start)
  return index === -1 || index >= end ? undefined : index
}

/** The index of the next line after `start` with this prefix, or the end. */
function findNext(lines: readonly string[], start: number, prefix: string): number {
  const next = lines.findIndex((line, index) => index > start && line.startsWith(prefix))
  return next === -1 ? lines.length : next
}

/** Moves the lines of all files into the changelog, and removes the files. */
export function assembleChanges(): void {
  const files = listChangeFiles()
  const changelog = files.reduce(
    (text, file) => addChange(text, readFileSync(file, 'utf8')),
    readFileSync(changelogFile, 'utf8'),
  )
  writeFileSync(changelogFile, changelog)
  for (const file of files) rmSync(file)
  console.log(
    `CHANGELOG.md has the lines of ${files.length} ${files.length === 1 ? 'file' : 'files'} of changes/`,
  )
}

if (process.argv[1] === import.meta.filename) assembleChanges()
