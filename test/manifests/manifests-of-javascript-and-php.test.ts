import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

/** A `package.json` with this many names. */
function createLargePackage(count: number): string {
  const names = Array.from({ length: count }, (_, n) => [`p${n}`, '1'])
  return JSON.stringify({ dependencies: Object.fromEntries(names) })
}

const examples: ManifestExample[] = [
  {
    says: 'all four sections count, a name in two of them once',
    file: 'package.json',
    content: JSON.stringify({
      name: 'self',
      dependencies: { hono: '^4', '@scope/a': '1' },
      devDependencies: { vitest: '^5', hono: '^4' },
      peerDependencies: { react: '*' },
      optionalDependencies: { fsevents: '2' },
      bundledDependencies: ['hono'],
      scripts: { test: 'vitest' },
    }),
    names: ['@scope/a', 'fsevents', 'hono', 'react', 'vitest'],
  },
  {
    says: 'an npm alias gives the package that is installed',
    file: 'package.json',
    content: '{"dependencies":{"old":"npm:left-pad@1","std":"npm:@jsr/std__path@^1","bare":"npm:@a/b"}}',
    names: ['@a/b', '@jsr/std__path', 'left-pad'],
  },
  {
    says: 'comments, templates and other names with characters that npm refuses are left out, but not the odd names of old packages',
    file: 'package.json',
    content: JSON.stringify({
      dependencies: {
        '//': 'why',
        '// 1': 'x',
        '<%= name %>': '1',
        '{{dep}}': '1',
        'a b': '1',
        '@s/x/y': '1',
        '@s': '1',
        '.': '1',
        old: 'npm:<%= name %>@1',
        '<%= catalog %>': 'catalog:',
        äöü: '1',
        JSONStream: '1',
        "~it's!(*)": '1',
        '@S.-/_x.y': '1',
        '-': '1',
      },
    }),
    names: ['-', '@S.-/_x.y', 'JSONStream', "~it's!(*)"],
  },
  {
    says: 'names with characters that npm refuses are left out',
    file: 'deno.json',
    content: '{"imports":{"a":"npm:<%= name %>@1","b":"npm:b@1","c":"npm:/@s/c@1/path","d":"jsr:@s/{{d}}"}}',
    names: ['@s/c', 'b'],
  },
  {
    says: 'a range with the prefix of an alias, as Yarn writes it, is none',
    file: 'package.json',
    content:
      '{"dependencies":{"react":"npm:^18.2.0","hono":"npm:4.1.0","vite":"npm:>=5 <7","any":"npm:*","old":"npm:7zip-bin@5"}}',
    names: ['7zip-bin', 'any', 'hono', 'react', 'vite'],
  },
  {
    says: 'an alias of JSR gives the package that is installed, and a range with its prefix is none',
    file: 'package.json',
    content: '{"dependencies":{"mypath":"jsr:@std/path@^1","fs":"jsr:@std/fs","@std/async":"jsr:^1"}}',
    names: ['@std/async', '@std/fs', '@std/path'],
  },
  {
    says: 'what a catalog may define is a name until it does',
    file: 'package.json',
    content:
      '{"dependencies":{"vite":"catalog:","a":"1"},"devDependencies":{"vite":" catalog:old","react":"catalog:default"}}',
    names: ['a'],
    references: ['default:react or react', 'default:vite or vite', 'old:vite or vite'],
  },
  {
    says: 'the catalogs of a workspace of Bun define what aliases stand for, and a text is no catalog',
    file: 'package.json',
    content: JSON.stringify({
      catalog: 'none',
      catalogs: { old: { vite: 'npm:vite-old@5', hono: '^4', text: 1 }, none: null },
      workspaces: { packages: ['a'], catalog: { vite: 'npm:rolldown-vite@latest', react: 'npm:^19' } },
    }),
    names: [],
    definitions: { 'default:vite': ['rolldown-vite'], 'old:vite': ['vite-old'] },
  },
  {
    says: 'the catalogs of a workspace define what aliases stand for',
    file: 'pnpm-workspace.yaml',
    content: `packages: [packages/*]
catalog:
  vite: npm:rolldown-vite@latest
  react: ^19.0.0
catalogs:
  old:
    path: jsr:@std/path@^1
`,
    names: [],
    definitions: { 'default:vite': ['rolldown-vite'], 'old:path': ['@std/path'] },
  },
  {
    says: 'packages of the same repository are left out, those of other repositories are not',
    file: 'package.json',
    content: JSON.stringify({
      dependencies: {
        a: 'workspace:*',
        b: 'workspace:other@^1',
        c: 'file:../c',
        d: 'link:./d',
        e: 'portal:../e',
      },
      devDependencies: { f: '../f', g: '~/g', h: '/h', i: 'C:\\i', j: 'packed/j-1.0.tgz', k: '.' },
      peerDependencies: { a: 'workspace:^', '~tilde': '~1.0' },
      optionalDependencies: {
        url: 'https://host.example/url.tgz',
        git: 'git+ssh://host.example/git',
        short: 'owner/short',
      },
    }),
    names: ['git', 'short', 'url', '~tilde'],
  },
  {
    says: 'a byte order mark, empty sections and null sections are fine',
    file: 'package.json',
    content: '\uFEFF{"dependencies":{"a":"1"},"devDependencies":null,"peerDependencies":[]}',
    names: ['a'],
  },
  {
    says: 'keys that objects have by nature are names like any other',
    file: 'package.json',
    content: '{"dependencies":{"__proto__":"1","constructor":"1"}}',
    names: ['__proto__', 'constructor'],
  },
  {
    says: 'names that no registry could hold are left out',
    file: 'package.json',
    content: JSON.stringify({ dependencies: { '': '1', ok: '1', 'nul\0': '1', ['x'.repeat(256)]: '1' } }),
    names: ['ok'],
  },
  {
    says: 'a name of 255 characters is read',
    file: 'package.json',
    content: `{"dependencies":{"${'x'.repeat(255)}":""}}`,
    names: ['x'.repeat(255)],
  },
  {
    says: '10,000 names are read',
    file: 'package.json',
    content: createLargePackage(10_000),
    names: Array.from({ length: 10_000 }, (_, n) => `p${n}`),
  },
  {
    says: 'packages are read in lower case, the platform is not',
    file: 'composer.json',
    content: JSON.stringify({
      require: {
        php: '>=8',
        'php-64bit': '*',
        'ext-json': '*',
        'lib-icu': '*',
        'composer-plugin-api': '^2',
        hhvm: '*',
        'Monolog/Monolog': '^3',
      },
      'require-dev': { 'phpunit/phpunit': '^11' },
    }),
    names: ['monolog/monolog', 'phpunit/phpunit'],
  },
  {
    says: 'an empty section as PHP writes it is fine',
    file: 'composer.json',
    content: '{"require":[]}',
    names: [],
  },
  {
    says: 'imports from npm and JSR are read; paths, URLs, comments and trailing commas are fine',
    file: 'deno.json',
    content: `{
  // "left": "npm:left",
  "imports": {
    "hono": "npm:hono@^4/jsx", /* "x": "npm:x", */
    "@std/path": "jsr:@std/path@^1", "@std/fs/": "jsr:/@std/fs@^1/",
    "chalk": "npm:chalk", "url": "https://host.example/mod.ts", "local": "./a,}.ts",
    "@a/b": "npm:@a/b@1.0.0", // last
  },
  "tasks": { "x": "npm:task", },
}`,
    names: ['@a/b', '@std/fs', '@std/path', 'chalk', 'hono'],
  },
]

const refused: RefusedManifest[] = [
  ['package.json', createLargePackage(10_001), /^too many names for a manifest: at most 10000 are read$/],
  ['package.json', '', /^not valid JSON: /],
  ['package.json', '{\n<<<<<<< HEAD\n}', /^not valid JSON: .*position 2/],
  ['package.json', '[]', /^not a JSON object$/],
  ['package.json', 'null', /^not a JSON object$/],
  ['package.json', '{"devDependencies":["a"]}', /^"devDependencies" is not a table of names$/],
  ['composer.json', '{"require":"x"}', /^"require" is not a table of names$/],
  ['deno.json', '{"imports":', /^not valid JSON: /],
  ['deno.json', '{"imports":["a"]}', /^"imports" is not a table of names$/],
]

describe('a manifest of JavaScript and PHP', () => testManifests(examples, refused))
