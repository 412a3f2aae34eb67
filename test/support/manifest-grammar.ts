/**
 * What texts of each format of manifests consist of: the tokens of its grammar, from the source of its parser, and
 * manifests, from its tests. A new word of a parser, and a new example, count at once.
 */
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { formats } from '../../api/manifests/formats.ts'

const parsers = resolve(import.meta.dirname, '../../api/manifests')
const tests = resolve(import.meta.dirname, '../manifests')

/** What any format may have: signs, white space, letters and digits. */
const signs = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \n\r\ta1é\u2028', '\r\n', '\\\n']

/** A format. */
export interface ManifestGrammar {
  /** Its first file. */
  format: string
  tokens: string[]
  examples: string[]
  isYaml: boolean
}

/** The file of each format's parser: the one that exports the format. */
const parserFiles = new Map<unknown, string>()
for (const file of globSync('*.ts', { cwd: parsers, exclude: ['manifest-worker.ts'] })) {
  const exported: Record<string, unknown> = await import(resolve(parsers, file))
  for (const value of Object.values(exported)) parserFiles.set(value, file)
}

/** Lists the grammars of all formats. */
export function listGrammars(): ManifestGrammar[] {
  const examples = readExamples()
  return formats.map((format) => {
    const seen = new Set<string>()
    const tokens = [...new Set([...signs, ...listWords(parserFiles.get(format) ?? '', seen)])]
    return {
      format: format.files[0],
      tokens,
      examples: ['', ...format.files.flatMap((file) => examples.get(file) ?? [])],
      isYaml: seen.has('yaml.ts'),
    }
  })
}

function readSource(file: string): string {
  return readFileSync(resolve(parsers, file), 'utf8')
}

/** The words in the strings and patterns of a parser, and of the files of the folder that it imports. */
function listWords(file: string, seen: Set<string>): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const source = readSource(file)
  const code = source.replace(/^import .*$|\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const strings = Array.from(code.matchAll(/'([\w.:@/#-]{2,30})'/g), ([, text = '']) => text)
  const patterns = Array.from(code.matchAll(/(?<=[(=,:?|]\s*)\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n ])+\//g))
  const words = patterns.flatMap(
    ([pattern]) => pattern.replace(/\\\w|\?<\w+>/g, ' ').match(/[\w-]{2,}/g) ?? [],
  )
  const imports = Array.from(source.matchAll(/from '\.\/([\w-]+\.ts)'/g), ([, name = '']) => name)
  const others = imports.filter((name) => name !== 'manifest-format.ts')
  return [...strings, ...words, ...others.flatMap((name) => listWords(name, seen))]
}

/** The manifests in the tests of formats: `file: 'go.mod', content: '…'`. */
function readExamples(): Map<string, string[]> {
  const examples = new Map<string, string[]>()
  for (const name of globSync('manifests-of-*.test.ts', { cwd: tests })) {
    const source = readFileSync(resolve(tests, name), 'utf8')
    for (const [, format = '', template, text = ''] of source.matchAll(
      /file: '([^']+)',\s+content:\s+(?:`((?:\\.|[^`\\])*)`|'((?:\\.|[^'\\])*)')/gs,
    )) {
      const content = (template ?? text).replaceAll('\\n', '\n').replace(/\\(.)/g, '$1')
      examples.set(format, [...(examples.get(format) ?? []), content])
    }
  }
  return examples
}
