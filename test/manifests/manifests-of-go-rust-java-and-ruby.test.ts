import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

const examples: ManifestExample[] = [
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
	example.org/deepest v0.1.0 //indirect
	example.org/direct v0.1.0 // indirectly useful
	example.org/direct2 v0.1.0 // indirect;really
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
    names: ['direct', 'direct2', 'quoted', 'tight', 'two/v2'].map((name) => `example.org/${name}`),
  },
  {
    says: 'a module that is read from a folder is left out, unless that is another version of it',
    file: 'go.mod',
    content: `module example.org/self
replace example.org/before => ./before
require (
	example.org/before v1.0.0
	example.org/after v1.0.0
	example.org/this v1.0.0
	example.org/other v1.0.0
	example.org/fork v1.0.0
	example.org/windows v1.0.0
	example.org/both v1.0.0
)
replace (
	"example.org/after" => ../after // why
	example.org/this v1.0.0 => /this
	example.org/other v2.0.0 => ../other
	example.org/fork => example.org/forked v1.0.0
	example.org/windows => ..\\windows
	example.org/both => ../both
	example.org/both v1.0.0 => example.org/forked v1.0.0
)
`,
    names: ['example.org/both', 'example.org/fork', 'example.org/other'],
  },
  {
    says: 'the modules of tools count, although they are marked as indirect',
    file: 'go.mod',
    content: `module example.org/self
tool example.org/tools/v2/cmd/one // why
tool (
	"example.org/two"
	example.org/deep/nested/cmd/three
	example.org/self/cmd/own
	example.org/local/cmd/four
	example.org/unknown/cmd/five
)
require (
	example.org/tools v1.0.0 // indirect
	example.org/tools/v2 v2.0.0 // indirect
	example.org/two v1.0.0 // indirect
	example.org/deep v1.0.0 // indirect
	example.org/deep/nested v1.0.0
	example.org/local v1.0.0 // indirect
	example.org/unknown/cmd/fiv v1.0.0 // indirect
)
replace example.org/local => ../local
`,
    names: ['deep/nested', 'tools/v2', 'two'].map((name) => `example.org/${name}`),
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
      'linked',
      'long',
      'old',
      'proptest',
      'real-crate',
      'serde',
      'shared-real',
      'winapi',
    ],
    references: ['inherited'],
    definitions: { shared: ['shared-real'] },
  },
  {
    says: 'crates of the same repository are left out, also those that a workspace defines',
    file: 'Cargo.toml',
    content: `
[package]
name = "self"
[dependencies]
sibling = { path = "../sibling", version = "1" }
renamed = { package = "cousin", path = "../cousin" }
git = { git = "https://host.example/git" }
given = { workspace = true, features = ["x"] }
[dev-dependencies]
given.workspace = true
[target.'cfg(unix)'.dependencies]
other.workspace = true
[workspace.dependencies]
sibling = { path = "sibling" }
serde = "1"
nothing = { package = "" }
`,
    names: ['git', 'serde'],
    references: ['given', 'other'],
    definitions: { sibling: [], nothing: [] },
  },
  {
    says: 'a workspace without dependencies is one all the same',
    file: 'Cargo.toml',
    content: '[workspace]\nmembers = ["a"]\n',
    names: [],
    definitions: {},
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
    <dependency><groupId>\${netty.group}</groupId><artifactId>bom</artifactId><type>pom</type><scope>import</scope></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId> junit </groupId><artifactId>junit</artifactId><version>4</version><scope>test</scope>
      <exclusions><exclusion><groupId>org.hamcrest</groupId><artifactId>core</artifactId></exclusion></exclusions>
    </dependency>
    <!-- <dependency><groupId>commented</groupId><artifactId>out</artifactId></dependency> -->
    <dependency><groupId>\${project.groupId}</groupId><artifactId>sibling</artifactId></dependency>
    <dependency><groupId>\${pom.parent.groupId}</groupId><artifactId>unknown</artifactId></dependency>
    <dependency><groupId>\${netty}</groupId><artifactId>netty\${suffix}</artifactId></dependency>
    <dependency><groupId>\${elsewhere}</groupId><artifactId>x\${suffix}</artifactId></dependency>
  </dependencies>
  <build><plugins><plugin><groupId>plug</groupId><artifactId>in</artifactId><dependencies>
    <dependency><groupId>of</groupId><artifactId>plugin</artifactId></dependency>
  </dependencies></plugin></plugins></build>
  <profiles><profile><id>p</id><properties><own>com.own</own></properties><dependencies>
    <dependency><groupId>\${own}</groupId><artifactId>profiled</artifactId></dependency>
  </dependencies></profile></profiles>
</project>`,
    names: ['com.own:profiled', 'io.netty:bom', 'io.netty:netty_2.13', 'junit:junit', 'org.example:sibling'],
    references: ['${elsewhere}:x_2.13', '${pom.parent.groupId}:unknown'],
    definitions: { 'netty.group': ['io.netty'], suffix: ['_2.13'], netty: ['io.netty'] },
  },
  {
    says: 'a property that is defined by itself is unknown, and ends',
    file: 'pom.xml',
    content: `<project><groupId>g</groupId><properties><a>\${b}\${b}</a><b>\${a}\${a}</b></properties><dependencies>
      <dependency><groupId>\${a}</groupId><artifactId>loop</artifactId></dependency>
      <dependency><groupId>\${groupId}</groupId><artifactId>one</artifactId></dependency>
    </dependencies></project>`,
    names: ['g:one'],
    isComputed: true,
    definitions: {},
  },
  {
    says: 'a property that is written twice has its last value',
    file: 'pom.xml',
    content: `<project><properties><a>first</a><b>b</b><a> last </a></properties><dependencies>
      <dependency><groupId>\${a}</groupId><artifactId>\${b}</artifactId></dependency>
    </dependencies></project>`,
    names: ['last:b'],
    definitions: { a: ['last'], b: ['b'] },
  },
  {
    says: 'entities of the file are resolved, and what needs those of other files is counted',
    file: 'pom.xml',
    content: `<?xml version="1.0"?>
<!-- <!DOCTYPE none> -->
<!DOCTYPE project SYSTEM "a > b" [
  <!-- it's > a comment ] -->
  <!ELEMENT project (#PCDATA)>
  <!ENTITY group "org.entity">
  <!ENTITY group "ignored">
  <!ENTITY deep '&group;.deep'>
  <!ENTITY loop "&loop;">
  <!ENTITY file SYSTEM "other.xml">
  <!ENTITY % parameter "x">
]>
<project>
  <properties><from.entity>&deep;.property</from.entity></properties>
  <dependencies>
    <dependency><groupId>&group;</groupId><artifactId>one</artifactId></dependency>
    <dependency><groupId>&deep;</groupId><artifactId>two</artifactId></dependency>
    <dependency><groupId>\${from.entity}</groupId><artifactId>three</artifactId></dependency>
    <dependency><groupId>&loop;</groupId><artifactId>loop</artifactId></dependency>
    <dependency><groupId>&file;</groupId><artifactId>file</artifactId></dependency>
    <dependency><groupId>&unknown;</groupId><artifactId>unknown</artifactId></dependency>
  </dependencies>
</project>`,
    names: ['org.entity.deep.property:three', 'org.entity.deep:two', 'org.entity:one'],
    isComputed: true,
    definitions: { 'from.entity': ['org.entity.deep.property'] },
  },
  {
    says: 'a project without dependencies declares nothing',
    file: 'pom.xml',
    content: '<project/>',
    names: [],
    definitions: {},
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
    says: 'gems of the same repository are left out',
    file: 'Gemfile',
    content: `gem 'before', path: 'engines/before'
gem "old", :path => "old"
gem 'long',
  require: false, # why

  # and more
  path: "../long"
gem(
  'brackets', path: 'x'
)
path 'components' do # all of them
  gem 'block'
  gem 'in-it'
end
  path('more') do
    gem 'deeper'
  end
gem 'git', git: 'https://host.example/git', glob: 'a'
gem 'last'; gem 'one', path: 'x'
puts path: 'nothing'
gem 'symbol', require: :path
gem 'quoted', 'path': 'x'
gem 'rocket', "path" => 'x'
gem 'path', 'path'
path('line') { gem 'in-line' } # only this
gem 'after-line'
path 'argument' do |z|
  gem 'with-argument'
end
path('braces') {
  gem 'in-braces'
}
gem 'after-braces'
`,
    names: ['after-braces', 'after-line', 'git', 'last', 'path', 'symbol'],
  },
  {
    says: 'a literal that is a part of a name is none',
    file: 'Gemfile',
    content: `gem "sqlite3-" + version
gem('pg-'+version)
gem 'mysql-%s' % version
gem 'rails'
`,
    names: ['rails'],
    isComputed: true,
  },
  {
    says: 'a literal that is a part of a name is none',
    file: 'Podfile',
    content: "pod 'A-' + name\npod 'B', 'path' => '../B'\npod 'C++'\n",
    names: ['C++'],
    isComputed: true,
  },
  {
    says: 'a heredoc is text, and a sign that appends begins none',
    file: 'Gemfile',
    content: `warning = <<~TEXT
  gem 'inside'
  TEXT
gem 'after', <<-'A', <<"B b"
gem 'first'
 TEXT
  A
gem 'second'
B b
gem 'after-two'
message(<<ONE.strip)
gem 'third'
  ONE
ONE
list <<self
numbers << 1
list<<ITEM
gem 'appended'
ITEM
class << self
end
gem 'last'
`,
    names: ['after', 'after-two', 'appended', 'last'],
  },
  {
    says: 'a heredoc is text',
    file: '*.gemspec',
    content: `Gem::Specification.new do |s|
  s.description = <<-EOS
    s.add_dependency 'inside'
  EOS
  s.add_dependency 'rack', path: 'nothing'
end
`,
    names: ['rack'],
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

const refused: RefusedManifest[] = [
  ['Cargo.toml', 'dependencies = 1', /^"dependencies" is not a table of names$/],
  ['Cargo.toml', '[target.a]\ndependencies = 1', /^"target\.a\.dependencies" is not a table/],
  ['Cargo.toml', 'a = 1\na = 2', /^not valid TOML: line 2/],
  ['go.mod', 'module a\n<<<<<<< HEAD\n', /^line 2 is not a go\.mod directive$/],
  ['go.mod', 'require a\n', /^line 1 does not require a module at a version$/],
  ['go.mod', 'require (a.b/c v1)', /^line 1 does not require a module at a version$/],
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
]

describe('a manifest of Go, Rust, Java and Ruby', () => testManifests(examples, refused))
