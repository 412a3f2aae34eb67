import { describe, expect, test } from 'vitest'
import {
  decodeManifest,
  findManifestName,
  manifestNames,
  parseManifest,
} from '../api/import/git/manifests.ts'

interface Example {
  says: string
  file: string
  content: string
  names: string[]
}

const examples: Example[] = [
  {
    says: 'all four sections count, a name in two of them once',
    file: 'package.json',
    content: JSON.stringify({
      name: 'self',
      dependencies: { hono: '^4', '@scope/a': 'workspace:*' },
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
    says: 'a range with the prefix of an alias, as Yarn writes it, is none',
    file: 'package.json',
    content:
      '{"dependencies":{"react":"npm:^18.2.0","hono":"npm:4.1.0","vite":"npm:>=5 <7","any":"npm:*","old":"npm:7zip-bin@5"}}',
    names: ['7zip-bin', 'any', 'hono', 'react', 'vite'],
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
    says: 'PEP 508 lines are read, with versions, extras, markers, hashes and comments dropped',
    file: 'requirements.txt',
    content: [
      '# comment',
      'Flask==2.0',
      'requests[security,socks]>=2.8.1,<3 ; python_version < "3.8" and os_name == "nt"  # why',
      'zope.interface (>=5, <6)',
      'pip @ https://example.org/pip.zip#sha1=da9234ee',
      'ruamel_yaml',
      'numpy~=1.2 --hash=sha256:abc \\',
      '    --hash=sha256:def',
      'bare;python_version<"3"',
      'star==2.*',
      'odd===1.0-any',
      'trailing>=1,',
      '',
    ].join('\r\n'),
    names: [
      'bare',
      'flask',
      'numpy',
      'odd',
      'pip',
      'requests',
      'ruamel-yaml',
      'star',
      'trailing',
      'zope-interface',
    ],
  },
  {
    says: 'PEP 503 makes spellings of one project one name',
    file: 'requirements.txt',
    content: 'Foo__Bar\nfoo-bar\nFOO.BAR\nfoo-._bar\n',
    names: ['foo-bar'],
  },
  {
    says: 'options, paths, URLs and archives name no package',
    file: 'requirements.txt',
    content: [
      '-r base.txt',
      '-e .',
      '-e git+https://example.org/x.git#egg=x',
      '--index-url https://example.org/simple',
      './local[extra]',
      '../other',
      'dir/package',
      'C:\\wheels\\a.whl',
      'git+ssh://git@example.org/y.git@v1#egg=y',
      'https://example.org/z-1.0.tar.gz',
      'w-1.0-py3-none-any.whl',
      'real',
    ].join('\n'),
    names: ['real'],
  },
  { says: 'an empty file declares nothing', file: 'requirements.txt', content: '', names: [] },
  {
    says: 'PEP 621, PEP 735 and Poetry tables are read; python, the build system and the project itself are not',
    file: 'pyproject.toml',
    content: `
[build-system]
requires = ["setuptools"]
[project]
name = "My_Project"
dependencies = ["Werkzeug>=3", "click @ https://example.org/click.zip"]
[project.optional-dependencies]
async = ["asgiref>=3.2"]
all = ["my-project[async]"]
[dependency-groups]
test = ["pytest>8", { include-group = "lint" }]
lint = ["Ruff"]
[tool.poetry.dependencies]
python = "^3.10"
Django = "^5"
local = { path = "../local" }
[tool.poetry.dev-dependencies]
black = "*"
[tool.poetry.group.docs.dependencies]
Sphinx_Theme = "1"
[tool.poetry.group.empty]
optional = true
`,
    names: ['asgiref', 'black', 'click', 'django', 'local', 'pytest', 'ruff', 'sphinx-theme', 'werkzeug'],
  },
  {
    says: 'both forms of require are read, without what is indirect or only replaced or excluded',
    file: 'go.mod',
    content: `module example.org/self // comment
go 1.22
toolchain go1.22.1
require example.org/one v1.0.0
require "example.org/quoted" v1.0.0 // why
require (
	// a comment
	example.org/two/v2 v2.1.0
	example.org/deep v0.1.0 // indirect
	example.org/deeper v0.1.0 // indirect; needed by two
	example.org/direct v0.1.0 // indirectly useful
)
require ()
require(
	example.org/tight v0.0.0-20200101000000-abcdefabcdef
)
exclude example.org/two/v2 v2.0.0
replace (
	example.org/one => ../one
	example.org/other v1.0.0 => example.org/fork v1.0.1
)
retract [v1.0.0, v1.1.0] // broken
`,
    names: [
      'example.org/direct',
      'example.org/one',
      'example.org/quoted',
      'example.org/tight',
      'example.org/two/v2',
    ],
  },
  {
    says: 'every kind of table is read, and a rename gives the real crate',
    file: 'Cargo.toml',
    content: `
[package]
name = "self"
[dependencies]
serde = "1"
renamed = { package = "real-crate", version = "1" }
inherited = { workspace = true }
dotted.version = "1"
[dependencies.long]
version = "0.1"
[dev-dependencies]
proptest = "1"
[build-dependencies]
cc = "1"
[dev_dependencies]
old = "0.1"
[target.'cfg(windows)'.dependencies]
winapi = "0.3"
[target.x86_64-unknown-linux-gnu.build-dependencies]
linked = "0.1"
[workspace]
members = ["a"]
[workspace.dependencies]
shared = { package = "shared-real", version = "1" }
[patch.crates-io]
patched = { path = "p" }
[features]
big = ["dep:serde"]
[package.metadata]
number = 9223372036854775807
`,
    names: [
      'cc',
      'dotted',
      'inherited',
      'linked',
      'long',
      'old',
      'proptest',
      'real-crate',
      'serde',
      'shared-real',
      'winapi',
    ],
  },
  {
    says: 'dependencies of the project and its profiles are read, with properties of the file resolved',
    file: 'pom.xml',
    content: `<?xml version="1.0"?>
<!DOCTYPE project>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.example</groupId><artifactId>parent</artifactId><version>1</version></parent>
  <artifactId>self</artifactId>
  <properties><netty.group>io.netty</netty.group><suffix>_2.13</suffix><netty>\${netty.group}</netty></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>managed</groupId><artifactId>only</artifactId></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId> junit </groupId><artifactId>junit</artifactId><version>4</version><scope>test</scope>
      <exclusions><exclusion><groupId>org.hamcrest</groupId><artifactId>core</artifactId></exclusion></exclusions>
    </dependency>
    <!-- <dependency><groupId>commented</groupId><artifactId>out</artifactId></dependency> -->
    <dependency><groupId>\${project.groupId}</groupId><artifactId>sibling</artifactId></dependency>
    <dependency><groupId>\${pom.parent.groupId}</groupId><artifactId>unknown</artifactId></dependency>
    <dependency><groupId>\${netty}</groupId><artifactId>netty\${suffix}</artifactId></dependency>
    <dependency><groupId>\${elsewhere}</groupId><artifactId>x</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin><groupId>plug</groupId><artifactId>in</artifactId><dependencies>
    <dependency><groupId>of</groupId><artifactId>plugin</artifactId></dependency>
  </dependencies></plugin></plugins></build>
  <profiles><profile><id>p</id><properties><own>com.own</own></properties><dependencies>
    <dependency><groupId>\${own}</groupId><artifactId>profiled</artifactId></dependency>
  </dependencies></profile></profiles>
</project>`,
    names: ['com.own:profiled', 'io.netty:netty_2.13', 'junit:junit', 'org.example:sibling'],
  },
  {
    says: 'a property that is defined by itself is unknown, and ends',
    file: 'pom.xml',
    content: `<project><groupId>g</groupId><properties><a>\${b}\${b}</a><b>\${a}\${a}</b></properties><dependencies>
      <dependency><groupId>\${a}</groupId><artifactId>loop</artifactId></dependency>
      <dependency><groupId>\${groupId}</groupId><artifactId>one</artifactId></dependency>
    </dependencies></project>`,
    names: ['g:one'],
  },
  {
    says: 'a project without dependencies declares nothing',
    file: 'pom.xml',
    content: '<project/>',
    names: [],
  },
  {
    says: 'gem calls are read wherever they stand, comments, strings and computed names are not',
    file: 'Gemfile',
    content: `source "https://rubygems.org"
gemspec
gem 'rails', '~> 7.0' # gem 'commented'
  gem "pg"
gem('puma')
gem(
  'multi'
)
group :test do
  gem 'rspec' if ENV['CI']
end
platforms(:ruby) { gem 'redcarpet' }
gem 'one'; gem 'two'
gem "active_#{name}"
puts "run gem 'inside' first"
puts %q(don't)
gem 'after-apostrophe'
config.gem 'other'
gems 'plural'
# gem 'out'
=begin
gem 'blocked'
=end
gem 'last'
__END__
gem 'never'
`,
    names: ['after-apostrophe', 'last', 'multi', 'one', 'pg', 'puma', 'rails', 'redcarpet', 'rspec', 'two'],
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
]

/** Properties that stand for each other ten times over, asked for by thousands of profiles. */
function createGrowingPom(): string {
  const properties = Array.from({ length: 5000 }, (_, n) => `<p${n}>${`\${p${n + 1}}`.repeat(10)}</p${n}>`)
  const dependency = `<dependency><groupId>\${p0}</groupId><artifactId>a</artifactId></dependency>`
  const profile = `<profile><dependencies>${dependency}</dependencies></profile>`
  return `<project><properties>${properties.join('')}</properties><profiles>${profile.repeat(5000)}</profiles></project>`
}

describe('parseManifest()', () => {
  for (const { says, file, content, names } of examples) {
    test(`${file}: ${says}`, () => {
      expect([...parseManifest(file, content)].sort()).toEqual([...names].sort())
    })
  }

  const failures: [file: string, content: string, message: RegExp][] = [
    ['package.json', '', /^not valid JSON: /],
    ['package.json', '{\n<<<<<<< HEAD\n}', /^not valid JSON: .*position 2/],
    ['package.json', '[]', /^not a JSON object$/],
    ['package.json', 'null', /^not a JSON object$/],
    ['package.json', '{"devDependencies":["a"]}', /^"devDependencies" is not a table of names$/],
    ['composer.json', '{"require":"x"}', /^"require" is not a table of names$/],
    ['requirements.txt', 'ok\nPython 3.6 or later\n', /^line 2 is not a requirement: Python 3\.6 or later$/],
    ['requirements.txt', 'a \\\n  b\n', /^line 1 is not a requirement: a b$/],
    ['requirements.txt', '<<<<<<< HEAD\na\n', /^line 1 is not a requirement/],
    ['requirements.txt', 'numpy=1.0=py37_0', /^line 1 is not a requirement/],
    ['pyproject.toml', '[project\n', /^not valid TOML: line 1, column \d+: /],
    ['pyproject.toml', '[project]\ndependencies = "x"', /^"project\.dependencies" is not a list/],
    ['pyproject.toml', '[project]\ndependencies = ["a b"]', /^"project\.dependencies" holds .*: a b$/],
    ['pyproject.toml', '[tool]\npoetry.dependencies = 1', /^"tool\.poetry\.dependencies" is not a table/],
    ['pyproject.toml', '[dependency-groups]\n"a\\nb" = ["c d"]', /^"dependency-groups\.a b" holds/],
    ['Cargo.toml', 'dependencies = 1', /^"dependencies" is not a table of names$/],
    ['Cargo.toml', '[target.a]\ndependencies = 1', /^"target\.a\.dependencies" is not a table/],
    ['Cargo.toml', 'a = 1\na = 2', /^not valid TOML: line 2/],
    ['go.mod', 'module a\n<<<<<<< HEAD\n', /^line 2 is not a go\.mod directive$/],
    ['go.mod', 'require a\n', /^line 1 does not require a module at a version$/],
    ['go.mod', 'require (\n\ta v1\n', /^the block "require \(" is not closed$/],
    ['pom.xml', '<project><a></project>', /^not well-formed XML: line 1: .*'?a'?/],
    ['pom.xml', '<html></html>', /^the root element is not "project"$/],
    ['Gemfile', "gem 'a'\n<<<<<<< HEAD\n", /^line 2 is the mark of an unfinished merge$/],
    ['Gemfile', "gem 'a'\0", /^not text/],
    ['package-lock.json', '{}', /^package-lock\.json is not a manifest that is read \(package\.json, /],
  ]
  for (const [file, content, message] of failures) {
    test(`${file}: ${JSON.stringify(content)} is refused in one line that says why`, () => {
      expect(() => parseManifest(file, content)).toThrow(message)
      expect(() => parseManifest(file, content)).toThrow(/^[^\n]*$/)
    })
  }

  const hostile: [file: string, content: string][] = [
    ['Gemfile', '"\\'.repeat(500_000)],
    ['Gemfile', '=begin\n'.repeat(100_000)],
    ['Gemfile', 'gem('.repeat(200_000)],
    ['requirements.txt', `a${' '.repeat(500_000)}b`],
    ['requirements.txt', `a==${'1,'.repeat(200_000)}!`],
    ['package.json', '['.repeat(1_000_000)],
    ['pom.xml', `<project>${'<dependencies>'.repeat(20_000)}`],
    ['pom.xml', createGrowingPom()],
    ['Cargo.toml', `a = ${'['.repeat(500_000)}`],
  ]
  for (const [file, content] of hostile) {
    test(`${file}: ${JSON.stringify(content.slice(0, 12))}… without end is read or refused`, () => {
      // What takes time with the square of its length would not be done within the time that a test has.
      try {
        parseManifest(file, content)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    })
  }
})

test('findManifestName() takes manifests by base name, case and all, outside third-party folders', () => {
  for (const name of manifestNames) {
    expect(findManifestName(name)).toBe(name)
    expect(findManifestName(`packages/a b/${name}`)).toBe(name)
    expect(findManifestName(`packages/node_modules/x/${name}`)).toBeUndefined()
    expect(findManifestName(`vendor/${name}`)).toBeUndefined()
    expect(findManifestName(`my-vendor/${name}`)).toBe(name)
  }
  expect(findManifestName('Pods/x/package.json')).toBeUndefined()
  expect(findManifestName('gemfile')).toBeUndefined()
  expect(findManifestName('package.json/README')).toBeUndefined()
  expect(findManifestName('my-package.json')).toBeUndefined()
})

test('decodeManifest() reads UTF-8, and UTF-16 with a byte order mark', () => {
  const text = 'flask==2.0\r\n'
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le')
  expect(decodeManifest(little)).toBe(text)
  expect(decodeManifest(Buffer.from(little).swap16())).toBe(text)
  expect(decodeManifest(Buffer.from(`\uFEFF${text}`))).toBe(text)
  expect(decodeManifest(Uint8Array.of(0x61, 0xff))).toBe('a\uFFFD')
})
