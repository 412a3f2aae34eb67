/**
 * Names of dependencies, against those that the ecosystems' own tools list for the same files (`npm run drills`). A
 * tool that isn't on this machine is skipped.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openClone } from '../../api/sources/git/clone.ts'
import { readDependencyHistory } from '../../api/sources/git/history.ts'
import { Clone, useClones } from '../support/git-clone.ts'

useClones()

interface Sample {
  ecosystem: string
  /** What the machine must have: a program, and arguments with which it succeeds. */
  needs: [program: string, ...args: string[]]
  files: Record<string, string>
  /** Lists names, one a line or as JSON, in the folder of the files. */
  list(run: (program: string, ...args: string[]) => string): Iterable<string>
}

interface CargoMetadata {
  packages: { dependencies: { name: string; path?: string }[] }[]
}

const samples: Sample[] = [
  {
    ecosystem: 'Go',
    needs: ['go', 'version'],
    files: {
      'go.mod': `module example.org/a
go 1.19
require github.com/pkg/errors v0.9.1 // a comment
require (
\tgolang.org/x/net v0.1.0
\tgolang.org/x/text v0.4.0 // indirect
\t"gopkg.in/yaml.v3" v3.0.1
)
exclude golang.org/x/net v0.0.1
replace github.com/pkg/errors => github.com/fork/errors v0.9.2
`,
    },
    *list(run) {
      const { Require } = JSON.parse(run('go', 'mod', 'edit', '-json'))
      for (const { Path, Indirect } of Require) if (!Indirect) yield Path
    },
  },
  {
    ecosystem: 'Cargo',
    needs: ['cargo', '--version'],
    files: {
      'Cargo.toml': `[workspace]
members = ["a", "b"]
resolver = "2"
[workspace.dependencies]
db = { package = "rusqlite", version = "0.31" }
serde = { version = "1", features = ["derive"] }
`,
      'a/Cargo.toml': `[package]
name = "a"
version = "0.1.0"
edition = "2021"
[dependencies]
db = { workspace = true }
serde.workspace = true
b = { path = "../b" }
[target.'cfg(unix)'.dependencies]
libc = "0.2"
[dev-dependencies]
"quickcheck" = "1"
`,
      'a/src/lib.rs': '',
      'b/Cargo.toml':
        '[package]\nname = "b"\nversion = "0.1.0"\nedition = "2021"\n[build-dependencies.cc]\nversion = "1"\n',
      'b/src/lib.rs': '',
    },
    *list(run) {
      const { packages }: CargoMetadata = JSON.parse(
        run('cargo', 'metadata', '--no-deps', '--offline', '--format-version=1'),
      )
      for (const { name, path } of packages.flatMap(({ dependencies }) => dependencies)) if (!path) yield name
    },
  },
  {
    ecosystem: 'npm',
    needs: ['npm', '--version'],
    files: {
      'package.json': `{"name":"a","version":"1.0.0","dependencies":{"hono":"^4","@scope/x":"1"},
        "devDependencies":{"vitest":"*"},"peerDependencies":{"react":">=18"},"optionalDependencies":{"fsevents":"2"}}`,
    },
    *list(run) {
      const kinds = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
      for (const names of Object.values(JSON.parse(run('npm', 'pkg', 'get', ...kinds))))
        yield* Object.keys(names as object)
    },
  },
  {
    ecosystem: 'Composer',
    needs: ['composer', '--version'],
    files: {
      'composer.json': `{"name":"a/b","description":"x","require":{"php":">=8","ext-json":"*","monolog/monolog":"^3","symfony/console":"^7"},
        "require-dev":{"phpunit/phpunit":"^11"}}`,
    },
    *list(run) {
      const { requires, devRequires } = JSON.parse(
        run('composer', 'show', '--self', '--format=json', '--no-plugins'),
      )
      for (const name of Object.keys({ ...requires, ...devRequires })) if (name.includes('/')) yield name
    },
  },
  {
    ecosystem: 'setuptools',
    needs: ['python3', '-c', 'import setuptools'],
    files: {
      'setup.py': `from setuptools import setup
BASE = ["requests>=2", "Foo_Bar[extra] ; python_version > '3'"]
setup(name="a", version="1", py_modules=[], install_requires=BASE + ["click"],
      extras_require={"docs": ["sphinx"], "all": ["sphinx", 'furo']})
`,
    },
    *list(run) {
      run('python3', 'setup.py', '-q', 'egg_info')
      for (const line of run('cat', 'a.egg-info/requires.txt').split('\n')) {
        const [, name] = /^([\w.-]+)/.exec(line) ?? []
        if (name !== undefined) yield name.replace(/[-_.]+/g, '-').toLowerCase()
      }
    },
  },
  {
    ecosystem: 'Bundler',
    needs: ['ruby', '-rbundler', '-e', ''],
    files: {
      Gemfile: `source "https://rubygems.org"
ruby ">= 2.7"
gem "rails", "~> 7.1"
gem('pg', require: false)
group :development, :test do
  gem "debug", platforms: %i[mri mingw]
end
install_if -> { true } do
  gem 'bootsnap'
end
`,
      'a.gemspec': `Gem::Specification.new do |s|
  s.name = "a"
  s.version = "1"
  s.summary = "x"
  s.authors = ["x"]
  s.files = []
  s.add_dependency "rack", ">= 2"
  s.add_development_dependency("rspec")
end
`,
    },
    *list(run) {
      const script = `puts Bundler::Dsl.evaluate("Gemfile", "Gemfile.lock", {}).dependencies.map(&:name)
        puts Gem::Specification.load("a.gemspec").dependencies.map(&:name)`
      yield* run('ruby', '-rbundler', '-e', script).trim().split('\n')
    },
  },
  {
    ecosystem: 'Mix',
    needs: ['elixir', '--version'],
    files: {
      'mix.exs': `defmodule A.MixProject do
  use Mix.Project
  def project, do: [app: :a, version: "1.0.0", deps: deps() ++ dev_deps()]
  defp deps do
    [{:phoenix, "~> 1.7"}, {:ecto, ">= 3.0.0", only: :test}, {:plug, git: "https://host.example/plug.git"}]
  end
  defp dev_deps, do: [{:credo, "~> 1.7", runtime: false}]
end
`,
    },
    *list(run) {
      const script =
        'Mix.start(); Code.require_file("mix.exs"); IO.puts(Enum.map_join(Mix.Project.config()[:deps], "\\n", &elem(&1, 0)))'
      yield* run('elixir', '-e', script).trim().split('\n')
    },
  },
  {
    ecosystem: 'Maven',
    needs: ['mvn', '--version'],
    files: {
      'pom.xml': `<project><modelVersion>4.0.0</modelVersion><groupId>org.example</groupId><artifactId>root</artifactId><version>1</version>
        <packaging>pom</packaging><modules><module>a</module></modules>
        <properties><scala>2.13</scala><jackson>com.fasterxml.jackson.core</jackson></properties>
        <dependencies><dependency><groupId>org.slf4j</groupId><artifactId>slf4j-api</artifactId><version>2</version></dependency></dependencies>
        <dependencyManagement><dependencies>
          <dependency><groupId>only</groupId><artifactId>managed</artifactId><version>1</version></dependency>
        </dependencies></dependencyManagement></project>`,
      'a/pom.xml': `<project><modelVersion>4.0.0</modelVersion>
        <parent><groupId>org.example</groupId><artifactId>root</artifactId><version>1</version></parent><artifactId>a</artifactId>
        <dependencies>
          <dependency><groupId>org.apache.spark</groupId><artifactId>spark-core_\${scala}</artifactId><version>3</version></dependency>
          <dependency><groupId>\${jackson}</groupId><artifactId>jackson-databind</artifactId><version>2</version><scope>test</scope></dependency>
        </dependencies></project>`,
      'Read.java': `import java.io.File;
import org.apache.maven.model.building.*;
public class Read {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      var request = new DefaultModelBuildingRequest().setPomFile(new File(file)).setProcessPlugins(false)
        .setSystemProperties(System.getProperties()).setValidationLevel(ModelBuildingRequest.VALIDATION_LEVEL_MINIMAL);
      var model = new DefaultModelBuilderFactory().newInstance().build(request).getEffectiveModel();
      for (var each : model.getDependencies()) System.out.println(each.getGroupId() + ":" + each.getArtifactId());
    }
  }
}
`,
    },
    *list(run) {
      yield* run('java', '-cp', '/usr/share/maven/lib/*', 'Read.java', 'pom.xml', 'a/pom.xml')
        .trim()
        .split('\n')
    },
  },
  {
    ecosystem: 'R',
    needs: ['Rscript', '--version'],
    files: {
      DESCRIPTION: `Package: a
Version: 1.0
Depends: R (>= 4.1), methods
Imports: dplyr (>= 1.0),
    rlang
Suggests: testthat
LinkingTo: Rcpp
`,
    },
    *list(run) {
      const script = `d <- read.dcf("DESCRIPTION"); f <- intersect(c("Depends","Imports","Suggests","LinkingTo","Enhances"), colnames(d))
        p <- unlist(lapply(f, function(k) tools:::.extract_dependency_package_names(d[1, k])))
        cat(setdiff(p, rownames(installed.packages(priority = "base"))), sep = "\\n")`
      yield* run('Rscript', '-e', script).trim().split('\n')
    },
  },
]

describe('a manifest declares what its own tool lists', () => {
  for (const { ecosystem, needs, files, list } of samples) {
    const [program, ...args] = needs
    const isThere = spawnSync(program, args, { stdio: 'ignore' }).status === 0
    test.skipIf(!isThere)(ecosystem, async () => {
      const clone = new Clone(ecosystem)
      clone.commit(1000, files)
      for (const [path, text] of Object.entries(files)) writeFileSync(join(clone.path, path), text)
      const run = (name: string, ...rest: string[]) =>
        execFileSync(name, rest, {
          cwd: clone.path,
          encoding: 'utf8',
          env: { ...process.env, COMPOSER_ALLOW_SUPERUSER: '1', GOFLAGS: '-mod=mod' },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
      const theirs = new Set(list(run))
      const { dependencies } = await readDependencyHistory(await openClone(clone.path))
      const ours = new Set(dependencies.map(({ dependency }) => dependency.dependency_name))
      expect(ours.size).toBeGreaterThan(0)
      expect([...ours].sort()).toEqual([...theirs].sort())
    })
  }
})
