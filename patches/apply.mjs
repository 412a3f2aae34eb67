// Applies the patches of this folder to node_modules, in the order of their names. There is a folder for each package and
// version, and a diff for each defect. Runs after each install, on Node 20 and later.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { applyPatch, parsePatch } from 'diff'

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
  const patches = readdirSync(new URL(`${name}/`, here))
    .filter((file) => file.endsWith('.patch'))
    .sort()
    .map((file) => ({ file, text: readFileSync(new URL(`${name}/${file}`, here), 'utf8') }))
  const stampFile = new URL('.patched', root)
  const stamp = createHash('sha256')
    .update(patches.map(({ text }) => text).join('\0'))
    .digest('hex')
  if (existsSync(stampFile)) {
    if (readFileSync(stampFile, 'utf8') === stamp) continue
    throw new Error(`node_modules/${packageName} has other patches: remove it and run npm install again`)
  }
  for (const { file, text } of patches) {
    for (const patch of parsePatch(text)) {
      const path = new URL(patch.newFileName.replace(/^b\//, ''), root)
      const patched = applyPatch(readFileSync(path, 'utf8'), patch)
      if (patched === false) {
        throw new Error(
          `patches/${name}/${file} does not apply: remove node_modules/${packageName} and run npm install again`,
        )
      }
      writeFileSync(path, patched)
    }
  }
  writeFileSync(stampFile, stamp)
}
