// Applies the patches of this folder to node_modules, in the order of their names, unless they are applied already. There is
// a folder for each package and version, and a file for each defect. The lines above its diff name the symptom, the upstream
// issues and the version that makes it unnecessary. Runs after each install, on Node 20 and later.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { applyPatch, parsePatch, reversePatch } from 'diff'

const here = new URL('.', import.meta.url)
const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory())
for (const { name } of folders) {
  const [, packageName, version] = /^(.+)-(\d.*)$/.exec(name)
  const root = new URL(`../node_modules/${packageName}/`, here)
  const installed = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version
  if (installed !== version) {
    throw new Error(
      `patches/${name} is for ${packageName} ${version}, but ${installed} is installed: check which patches are still needed`,
    )
  }
  /** The diff of each changed file, in the order in which they apply. */
  const diffs = readdirSync(new URL(`${name}/`, here))
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .flatMap((file) => parsePatch(readFileSync(new URL(`${name}/${file}`, here), 'utf8')))
  // An earlier state of this folder may have applied the first ones.
  let applied = diffs.length
  while (applyAll(root, diffs.slice(0, applied).toReversed().map(reversePatch)) === undefined) applied--
  const patched = applyAll(root, diffs.slice(applied))
  if (patched === undefined) {
    throw new Error(
      `patches/${name} can't be applied to node_modules/${packageName}: remove that folder and run npm install again`,
    )
  }
  for (const [path, text] of patched) writeFileSync(path, text)
}

/** Applies diffs one after another, and returns the new text of each file. Undefined: one of them does not apply. */
function applyAll(root, diffs) {
  const texts = new Map()
  for (const diff of diffs) {
    const path = fileURLToPath(new URL(diff.newFileName.replace(/^[ab]\//, ''), root))
    const text = applyPatch(texts.get(path) ?? readFileSync(path, 'utf8'), diff)
    if (text === false) return undefined
    texts.set(path, text)
  }
  return texts
}
