import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import {
  decodeManifest,
  findManifest,
  type ManifestFormat,
  manifestFormats,
  parseManifest,
} from '../api/import/git/manifests.ts'

interface Example {
  says: string
  file: ManifestFormat
  content: string
  names: string[]
  /** Whether the manifest declares more, which only running it would tell. Default: it doesn't. */
  isComputed?: boolean
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
    isComputed: true,
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
    says: 'the metadata that Flit had before PEP 621 is read',
    file: 'pyproject.toml',
    content: `
[tool.flit.metadata]
module = "fastapi"
requires = ["starlette ==0.9.7", "pydantic >=0.17"]
dev-requires = ["black"]
[tool.flit.metadata.requires-extra]
test = ["pytest >=4.0.0"]
`,
    names: ['black', 'pydantic', 'pytest', 'starlette'],
  },
  {
    says: 'many constraints, in parentheses too, and a comma at the end are fine',
    file: 'requirements.txt',
    content: 'a<=1,<=1,>=0 , !=1.2.*,\nb (>=1,<2)\nc ( >= 1 , )\n',
    names: ['a', 'b', 'c'],
  },
  {
    says: 'lists, tuples, texts, dictionaries and variables are read, whatever their quotes',
    file: 'setup.py',
    content: `#!/usr/bin/env python
"""setup(install_requires=['in a text'])"""
import sys
from setuptools import setup, find_packages
VERSION = '1.0'
tests = ["PyTest", 'pytest_cov' '>=2',]  # a comment, with 'quotes'
requires: list = [
    u"requests[socks] >=2",  # why
    r'''six''',
]
if sys.version_info < (3,):
    requires.append('enum34')
requires += ("tail",)
extras = {'docs': ['sphinx'], ':python_version<"3"': ['futures']}
extras['test'] = tests
setup(
    name='me', version=VERSION, packages=find_packages(exclude=['not-a-dependency']),
    setup_requires=['builds-only'],
    install_requires=requires + ['last'] if sys.version_info > (3,) else ['other'],
    extras_require=extras,
    tests_require="""
        # not this
        mock>=1
    """,
)
`,
    names: [
      'enum34',
      'futures',
      'last',
      'mock',
      'other',
      'pytest',
      'pytest-cov',
      'requests',
      'six',
      'sphinx',
      'tail',
    ],
  },
  {
    says: 'what only Python could evaluate is told, beside what stands there as such',
    file: 'setup.py',
    content: `import setuptools
setuptools.setup(install_requires=['a', f'{name}>=1', 'b%s' % x, 'c>=' + V, P + '>=1', 'd'] + read('r.txt').split(),
  extras_require={KEY: ['e'], 'x': [r for r in rs]})
`,
    names: ['a', 'd', 'e'],
    isComputed: true,
  },
  {
    says: 'what is read from elsewhere is told',
    file: 'setup.py',
    content:
      'from setuptools import setup\nwith open("r.txt") as f:\n  reqs = f.read()\nsetup(install_requires=reqs)',
    names: [],
    isComputed: true,
  },
  {
    says: 'options from elsewhere, and a call that is not there, are told',
    file: 'setup.py',
    content: 'from distutils.core import setup\nsetup(**options)',
    names: [],
    isComputed: true,
  },
  {
    says: 'a file that sets up something else declares nothing',
    file: 'setup.py',
    content: 'def setup(app):\n  app.install(["x"])\nsetup(install_requires=["never"])',
    names: [],
  },
  {
    says: 'options and extras are read, on one line or many; what stands in other files is not',
    file: 'setup.cfg',
    content: `[metadata]
name = me
requires = no
[options]
packages = find:
install_requires =
    Flask>=2  ; python_version > "3"
    # a comment
    zope.interface

tests_require = nose; mock>=1
[options.extras_require]
dev : black
docs =
  sphinx_theme
later = file: requirements-later.txt
[tool:pytest]
addopts = -x
`,
    names: ['black', 'flask', 'mock', 'nose', 'sphinx-theme', 'zope-interface'],
  },
  {
    says: 'packages of every category are read, and what is about pipenv is not',
    file: 'Pipfile',
    content: `[[source]]
url = "https://index.example/simple"
[packages]
Flask = "*"
local = { path = "." }
[dev-packages]
pytest_cov = ">=1"
[docs]
sphinx = "*"
[requires]
python_version = "3.12"
[scripts]
run = "flask run"
[pipenv]
allow_prereleases = true
`,
    names: ['flask', 'local', 'pytest-cov', 'sphinx'],
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
  {
    says: 'dependencies of both kinds are read in every spelling, names that are computed are told',
    file: '*.gemspec',
    content: `Gem::Specification.new do |s|
  s.name = "self"
  s.add_dependency "activesupport", version
  s.add_runtime_dependency('rack', '>= 2')
  s.add_development_dependency(%q<rake>.freeze, ["~> 13"])
  s.add_development_dependency(
    'multi'
  )
  # s.add_dependency "commented"
  s.summary = "s.add_dependency 'inside'"
  others.each { |name| s.add_dependency name }
end
`,
    names: ['activesupport', 'multi', 'rack', 'rake'],
    isComputed: true,
  },
  {
    says: 'a gem behind an ERB tag is none, as the template may comment it out',
    file: 'Gemfile',
    content: `gem "rails", "<%= version %>"
<%= '# ' if x %>gem 'maybe'
<% if y -%>
gem 'between'
<% end -%>
`,
    names: ['between', 'rails'],
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
  for (const { says, file, content, names, isComputed = false } of examples) {
    test(`${file}: ${says}`, () => {
      const parsed = parseManifest(file, content)
      expect([...parsed.names].sort()).toEqual([...names].sort())
      expect(parsed.isComputed).toBe(isComputed)
    })
  }

  const failures: [file: ManifestFormat, content: string, message: RegExp][] = [
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
    ['pyproject.toml', '[project]\ndependencies = ["a b"]', /^"project\.dependencies" contains .*: a b$/],
    ['pyproject.toml', '[tool]\npoetry.dependencies = 1', /^"tool\.poetry\.dependencies" is not a table/],
    ['pyproject.toml', '[dependency-groups]\n"a\\nb" = ["c d"]', /^"dependency-groups\.a b" contains/],
    ['Cargo.toml', 'dependencies = 1', /^"dependencies" is not a table of names$/],
    ['Cargo.toml', '[target.a]\ndependencies = 1', /^"target\.a\.dependencies" is not a table/],
    ['Cargo.toml', 'a = 1\na = 2', /^not valid TOML: line 2/],
    ['go.mod', 'module a\n<<<<<<< HEAD\n', /^line 2 is not a go\.mod directive$/],
    ['go.mod', 'require a\n', /^line 1 does not require a module at a version$/],
    ['go.mod', 'require (\n\ta v1\n', /^the block "require \(" is not closed$/],
    ['pom.xml', '<project><a></project>', /^not well-formed XML: line 1: .*'?a'?/],
    ['pom.xml', '<html></html>', /^the root element is not "project"$/],
    ['Gemfile', "gem 'a'\n<<<<<<< HEAD\n", /^line 2 is a conflict marker of an unfinished merge$/],
    ['Gemfile', "gem 'a'\0", /^not text/],
    [
      '*.gemspec',
      "s.add_dependency 'a'\n>>>>>>> theirs\n",
      /^line 2 is a conflict marker of an unfinished merge$/,
    ],
    ['setup.py', 'setup(\n', /^a bracket is not closed$/],
    ['setup.py', 'setup)\n', /^unmatched "\)"$/],
    ['setup.py', 'x = "a\n', /^a string that begins with "a is not closed$/],
    ['setup.py', '<<<<<<< HEAD\n', /^line 1 is a conflict marker of an unfinished merge$/],
    [
      'setup.py',
      'import setuptools\nsetuptools.setup(install_requires=["a b"])',
      /^"setup\.py" contains something that is not a requirement: a b$/,
    ],
    ['setup.cfg', 'a = 1\n', /^line 1 is not INI: a = 1$/],
    ['setup.cfg', '[options]\ninstall_requires = a b\n', /^"install_requires" \(line 2\) contains .*: a b$/],
    ['Pipfile', '[packages', /^not valid TOML: line 1/],
    ['Pipfile', 'packages = 1', /^"packages" is not a table of names$/],
    ['deno.json', '{"imports":', /^not valid JSON: /],
    ['deno.json', '{"imports":["a"]}', /^"imports" is not a table of names$/],
  ]
  for (const [file, content, message] of failures) {
    test(`${file}: ${JSON.stringify(content)} is refused in one line that says why`, () => {
      expect(() => parseManifest(file, content)).toThrow(message)
      expect(() => parseManifest(file, content)).toThrow(/^[^\n]*$/)
    })
  }
})

/** How a text of each format begins, and what its parser looks for. */
const fragments: Record<ManifestFormat, { beginnings: string[]; parts: string[] }> = {
  'package.json': {
    beginnings: ['', '{"dependencies":{"a":"npm:'],
    parts: ['{', '"a":', '@', 'a/', '"', ',', '[', '\\'],
  },
  'deno.json': {
    beginnings: ['', '{"imports":{"a":"npm:'],
    parts: ['{', '"a":', '//', '/*', '*/', ',', '}', '"', '\\', '\n'],
  },
  'requirements.txt': {
    beginnings: ['', 'a', 'a=='],
    parts: ['a', '<=1', ',', '=', '[', ']', '#', ' ', '\\\n', ';', '(', '.', '-', '@'],
  },
  'pyproject.toml': {
    beginnings: ['', '[project]\ndependencies=["a'],
    parts: ['<=1', ',', '"', ' ', '[', ']', '"""', 'a.', '\\\n', '\n', '#', '='],
  },
  'setup.py': {
    beginnings: ['', 'import setuptools\nsetup(install_requires=['],
    parts: ['[', ')', '"a', "'''", '\\', 'x', '=', '+', ',', '\n', ' ', '#', 'if ', 'for '],
  },
  'setup.cfg': {
    beginnings: ['', '[options]\ninstall_requires=a'],
    parts: ['<=1', ',', ';', ' ', 'a', '\n', '[', ']', '=', '#'],
  },
  Pipfile: { beginnings: ['', '[packages]\na="'], parts: ['"', "'", '{', '=', '.', 'a', '\n', ',', '#'] },
  'go.mod': {
    beginnings: ['', 'require', 'require a v1 //'],
    parts: [' ', '\u2028', '(', ')', '\n', 'a', '//', 'indirect', '"'],
  },
  'Cargo.toml': {
    beginnings: ['', '[dependencies]\na='],
    parts: ['{', 'a.', '[', '"', '"""', "'''", '\n', ',', '1_', '#', '='],
  },
  'pom.xml': {
    beginnings: ['', '<project>', '<project><dependencies><dependency><groupId>'],
    parts: ['<a ', '<a>', '</a>', 'b="', '"', '/>', '<!--', '-->', '<![CDATA[', ']]>', '<?', '&', '$'],
  },
  Gemfile: {
    beginnings: ['', 'gem', 'gem("'],
    parts: ['gem', ' ', '(', "'", '"', '#', '{', '\\', '\n', '\n=begin', '<%', '%q<', 'a'],
  },
  '*.gemspec': {
    beginnings: ['', 's.add_dependency'],
    parts: ['.add_dependency', ' ', '(', "'", '"', '%q<', '>', '#', '\\', '\n', '\n=begin'],
  },
  'composer.json': { beginnings: ['', '{"require":{"'], parts: ['{', 'a/', '"', ':', ',', '[', '\\'] },
}

/** Some match what was begun, some don't, and some only on the way back. */
const endings = ['', '!', 'a\u2028a']

/** Where time doubles with each repetition, these take longer than anybody waits. */
const shortSize = 200
/** Where time grows with the square of the length, so do these. */
const longSize = 300_000
/** A parse takes some ten milliseconds. One that takes so long does not end. */
const hangTimeout = 30_000

/** Texts that repeat one part, or two in turn: short ones in every context, long ones of two parts in one of them. */
function* listHostileTexts(format: ManifestFormat): Generator<string> {
  const { beginnings, parts } = fragments[format]
  const contexts = beginnings.flatMap((beginning) => endings.map((ending) => [beginning, ending] as const))
  const pairs = parts.flatMap((part) => parts.filter((other) => other !== part).map((other) => part + other))
  for (const [beginning, ending] of contexts) {
    for (const unit of [...parts, ...pairs]) yield beginning + unit.repeat(shortSize / unit.length) + ending
    for (const unit of parts) yield beginning + unit.repeat(longSize / unit.length) + ending
  }
  for (const [index, unit] of pairs.entries()) {
    const [beginning, ending] = contexts[index % contexts.length] ?? ['', '']
    yield beginning + unit.repeat(longSize / unit.length) + ending
  }
}

/** Parses in a thread of its own, which can be ended while it does. */
class ParserThread implements AsyncDisposable {
  readonly #worker = new Worker(
    `import { parentPort } from 'node:worker_threads'
    import { parseManifest } from ${JSON.stringify(new URL('../api/import/git/manifests.ts', import.meta.url).href)}
    parentPort.on('message', ({ format, content }) => {
      try {
        parseManifest(format, content)
        parentPort.postMessage('')
      } catch (error) {
        parentPort.postMessage(error.message)
      }
    })`,
    { eval: true, execArgv: ['--input-type=module'] },
  )

  /** Promises what was wrong with the text, and fails when the parser hangs. */
  async parse(format: ManifestFormat, content: string): Promise<unknown> {
    this.#worker.postMessage({ format, content })
    const [message] = await once(this.#worker, 'message', { signal: AbortSignal.timeout(hangTimeout) })
    return message
  }

  async [Symbol.asyncDispose]() {
    await this.#worker.terminate()
  }
}

describe('any text, however hostile, is read or refused', () => {
  for (const format of manifestFormats) {
    test(`as ${format}`, async () => {
      await using thread = new ParserThread()
      for (const text of listHostileTexts(format)) {
        expect(await thread.parse(format, text)).toMatch(/^[^\n]*$/)
      }
    })
  }

  const hostile: [format: ManifestFormat, content: string][] = [
    ['requirements.txt', `a${'<=1,'.repeat(500_000)}!`],
    ['requirements.txt', 'a\\\n'.repeat(500_000)],
    ['pyproject.toml', `[project]\ndependencies = ["a${'<=1,'.repeat(500_000)}!"]`],
    ['go.mod', `require${' '.repeat(500_000)}x\u2028y`],
    ['Gemfile', '"\\'.repeat(500_000)],
    ['Gemfile', '=begin\n'.repeat(500_000)],
    ['Gemfile', 'gem %q<'.repeat(500_000)],
    ['package.json', '['.repeat(1_000_000)],
    ['pom.xml', `<project>${'<dependencies>'.repeat(20_000)}`],
    ['pom.xml', createGrowingPom()],
    ['Cargo.toml', `a = ${'['.repeat(500_000)}`],
    ['setup.py', `import setuptools\nx = [${'x,'.repeat(500_000)}]\nsetup(install_requires=x)`],
    ['deno.json', '/*'.repeat(500_000)],
  ]
  for (const [format, content] of hostile) {
    test(`${format}: ${JSON.stringify(content.slice(0, 12))}… without end`, async () => {
      await using thread = new ParserThread()
      expect(await thread.parse(format, content)).toMatch(/^[^\n]*$/)
    })
  }
})

test('findManifest() takes manifests by base name, case and all, outside third-party folders', () => {
  const names = {
    ...Object.fromEntries(manifestFormats.map((format) => [format.replace('*', 'engine'), format])),
    'deno.jsonc': 'deno.json',
    'requirements-dev.txt': 'requirements.txt',
    'requirements_dev.txt': 'requirements.txt',
    'test-requirements.txt': 'requirements.txt',
  }
  for (const [name, format] of Object.entries(names)) {
    const manifest = { fileName: name, format, isOfTests: false }
    expect(findManifest(name)).toEqual(manifest)
    expect(findManifest(`packages/a b/${name}`)).toEqual(manifest)
    expect(findManifest(`my-vendor/${name}`)).toEqual(manifest)
    expect(findManifest(`packages/test/${name}`)).toEqual({ ...manifest, isOfTests: true })
    expect(findManifest(`packages/node_modules/x/${name}`)).toBeUndefined()
    expect(findManifest(`vendor/${name}`)).toBeUndefined()
  }
  expect(findManifest('requirements/dev.txt')).toMatchObject({
    fileName: 'dev.txt',
    format: 'requirements.txt',
  })
  expect(findManifest('a/requirements/dev.txt')).toMatchObject({ fileName: 'dev.txt' })
  for (const path of [
    'Pods/x/package.json',
    'gemfile',
    'package.json/README',
    'my-package.json',
    'dev.txt',
    'requirements/a/dev.txt',
    'requirements/constraints.txt',
    'requirements/README.md',
    'myrequirements.txt',
  ]) {
    expect([path, findManifest(path)]).toEqual([path, undefined])
  }
})

test('decodeManifest() reads UTF-8, and UTF-16 with a byte order mark', () => {
  const text = 'flask==2.0\r\n'
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le')
  expect(decodeManifest(little)).toBe(text)
  expect(decodeManifest(Buffer.from(little).swap16())).toBe(text)
  expect(decodeManifest(Buffer.from(`\uFEFF${text}`))).toBe(text)
  expect(decodeManifest(Uint8Array.of(0x61, 0xff))).toBe('a\uFFFD')
})
