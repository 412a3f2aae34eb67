import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

const examples: ManifestExample[] = [
  {
    says: 'every reference with Include counts, whatever its condition; Update, versions and projects do not',
    file: '*.csproj',
    content: `\uFEFF<Project Sdk="Microsoft.NET.Sdk">
      <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
      <ItemGroup>
        <PackageReference Include="Newtonsoft.Json" Version="13.0.3" />
        <PackageReference Include="Serilog"><Version>3</Version><PrivateAssets>all</PrivateAssets></PackageReference>
        <PackageReference Update="Updated" Version="2" />
        <PackageVersion Include="Versioned" Version="2" />
        <ProjectReference Include="..\\Other\\Other.csproj" />
        <Reference Include="System.Xml" />
        <!-- <PackageReference Include="Commented" /> -->
      </ItemGroup>
      <ItemGroup Condition="'$(TargetFramework)' == 'net48'">
        <PackageReference Include="Polyfill; Second" />
      </ItemGroup>
      <Choose><When Condition="true"><ItemGroup><PackageReference Include="Nested" /></ItemGroup></When></Choose>
    </Project>`,
    names: ['Nested', 'Newtonsoft.Json', 'Polyfill', 'Second', 'Serilog'],
  },
  {
    says: 'a project of before 2017 has a namespace, and an ID may be an element',
    file: '*.vbproj',
    content: `<?xml version="1.0"?><Project ToolsVersion="15.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
      <ItemGroup><PackageReference><Include>Elementary</Include></PackageReference></ItemGroup></Project>`,
    names: ['Elementary'],
  },
  {
    says: 'entities stand for their characters, and a list of names may exclude others',
    file: '*.csproj',
    content: `<Project><ItemGroup>
      <PackageReference Include="x;y&amp;z;Under&#46;Score&#x2e;Two" />
      <PackageReference Include="Micro.A;Micro.B;Other;Kept" Exclude=" micro.*;OTHER;?ep" />
      <PackageReference><Include>Elem;Gone</Include><Exclude>Gone</Exclude></PackageReference>
    </ItemGroup></Project>`,
    names: ['Elem', 'Kept', 'Under.Score.Two', 'x'],
  },
  {
    says: 'the case of types of items does not matter',
    file: '*.csproj',
    content:
      '<Project><ItemGroup><packageReference Include="A" /><PACKAGEREFERENCE Include="B"/></ItemGroup></Project>',
    names: ['A', 'B'],
  },
  {
    says: 'an excluded name with a property is computed',
    file: '*.csproj',
    content: '<Project><ItemGroup><PackageReference Include="A" Exclude="$(B)" /></ItemGroup></Project>',
    names: ['A'],
    isComputed: true,
  },
  {
    says: 'a name with a property is computed',
    file: 'Directory.Build.props',
    content: '<Project><ItemGroup><PackageReference Include="$(Prefix).Core;Plain" /></ItemGroup></Project>',
    names: ['Plain'],
    isComputed: true,
  },
  {
    says: 'central versions declare nothing, global references do',
    file: 'Directory.Packages.props',
    content: `<Project><ItemGroup><PackageVersion Include="xunit" Version="2.9.0" />
      <GlobalPackageReference Include="Nerdbank.GitVersioning" Version="3.6" /></ItemGroup></Project>`,
    names: ['Nerdbank.GitVersioning'],
  },
  {
    says: 'each package counts',
    file: 'packages.config',
    content: `<?xml version="1.0" encoding="utf-8"?><packages>
      <package id="jQuery" version="3.1.1" targetFramework="net46" /><package id="NLog" version="4.3.10" /></packages>`,
    names: ['NLog', 'jQuery'],
  },
  { says: 'no package', file: 'packages.config', content: '<packages />', names: [] },
  {
    says: 'packages of an SDK and of a folder do not count, those of a repository do',
    file: 'pubspec.yaml',
    content: `name: my_app
environment:
  sdk: ">=3.0.0 <4.0.0"
dependencies:
  flutter:
    sdk: flutter
  http: ^1.2.0
  any_version:
  local:
    path: ../local
  from_git:
    git: https://host.example/from_git
  hosted:
    hosted: https://pub.example
    version: ^1.0.0
dev_dependencies:
  flutter_test: {sdk: flutter}
  lints: ^4.0.0
dependency_overrides:
  transitive: 1.0.0
`,
    names: ['any_version', 'from_git', 'hosted', 'http', 'lints'],
  },
  { says: 'empty sections are none', file: 'pubspec.yaml', content: 'name: a\ndependencies:\n', names: [] },
  {
    says: 'channels and versions are no part of a name; pip requirements count, the language does not',
    file: 'environment.yml',
    content: `name: stats
channels: [conda-forge]
dependencies:
  - python=3.11
  - NumPy>=1.2,<2
  - conda-forge::xarray
  - conda-forge/linux-64::hdf5
  - r-base
  - r-ggplot2 3.4.*
  - pip
  - pip:
    - Flask[async]>=2 # web
    - -r requirements.txt
    - ./local
    - git+https://host.example/x
`,
    names: ['flask', 'hdf5', 'numpy', 'r-ggplot2', 'xarray'],
  },
  {
    says: 'options of pip may follow a name, as in a requirements file',
    file: 'environment.yml',
    content: `dependencies:
  - numpy
  - pip:
    - flask
    - torch==2.0.0 --extra-index-url https://download.example/whl/cu118
    - safe==1 --hash=sha256:0123 \\
    -   --hash=sha256:4567
    - --no-binary :all:
    - local @ file:///work/local
    - -e ./here
`,
    names: ['flask', 'numpy', 'safe', 'torch'],
  },
  {
    says: 'a file of a package counts by the name in its URL, and one without a name does not',
    file: 'environment.yml',
    content: `dependencies:
  - numpy
  - https://conda.example/conda-forge/linux-64/zlib-1.2.tar.bz2
  - https://conda.example/conda-forge/noarch/Python-Dateutil-2.8.2-pyhd8ed1ab_0.conda#0123
  - defaults::file:///work/_libgcc_mutex-0.1-main.tar.bz2
  - ./built/own-1.0-0.conda
  - https://conda.example/latest
  - https://conda.example/python-3.12.0-h1_0.conda
`,
    names: ['_libgcc_mutex', 'numpy', 'own', 'python-dateutil', 'zlib'],
  },
  {
    says: 'five fields count, over several lines; R and its base packages do not',
    file: 'DESCRIPTION',
    content: `Package: survey
Title: Depends: on nothing
Depends: R (>= 3.5.0), MASS
Imports:
    dplyr (>= 1.0), rlang,
\tstats,
    methods
Suggests: testthat
LinkingTo: Rcpp
Enhances: data.table
Authors@R: c(person("Ada",
    "Lovelace"))
`,
    names: ['MASS', 'Rcpp', 'data.table', 'dplyr', 'rlang', 'testthat'],
  },
  {
    says: 'a file without a package is another text',
    file: 'DESCRIPTION',
    content: 'Depends: on what you want\nImports: coffee\n',
    names: [],
  },
  {
    says: 'dependencies of features count, but not the port itself',
    file: 'vcpkg.json',
    content: JSON.stringify({
      name: 'app',
      dependencies: ['fmt', { name: 'boost-asio', features: ['ssl'] }, { version: '1' }],
      features: { gui: { dependencies: ['qtbase', { name: 'app', features: ['core'] }] } },
    }),
    names: ['boost-asio', 'fmt', 'qtbase'],
  },
  {
    says: 'all sections that require packages count',
    file: 'conanfile.txt',
    content: `[requires]
poco/1.9.4
openssl/[>=1.1 <4]@user/channel # comment
# zlib/1.2.13
[generators]
CMakeDeps/x
[tool_requires]
cmake/3.22
[build_requires]
ninja/1.11
[test_requires]
gtest/1.14
[options]
poco/*:shared=True
`,
    names: ['cmake', 'gtest', 'ninja', 'openssl', 'poco'],
  },
  {
    says: 'gems count as in a Gemfile',
    file: 'gems.rb',
    content: "source 'https://rubygems.org'\ngem 'rack'\ngem 'local', path: 'x'\n",
    names: ['rack'],
  },
  {
    says: 'gems count as in a Gemfile',
    file: '*.gemfile',
    content: "gem 'rails', '~> 7'\n",
    names: ['rails'],
  },
]

const refused: RefusedManifest[] = [
  ['*.csproj', '<Project><ItemGroup></Project>', /^not well-formed XML: line 1/],
  ['packages.config', 'not XML', /^not well-formed XML/],
  ['pubspec.yaml', 'dependencies: [a', /^not valid YAML: /],
  ['pubspec.yaml', 'dependencies: some', /^"dependencies" is not a table of names/],
  ['pubspec.yaml', '- a', /^not a table of names/],
  ['environment.yml', 'dependencies:\n- pip:\n  - "a b c"\n', /^"pip": line 1 is not a requirement: a b c$/],
  ['vcpkg.json', '[]', /^not a JSON object/],
  ['DESCRIPTION', 'Package: a\n<<<<<<< ours\nImports: b\n', /^line 2 is a conflict marker/],
]

describe('a manifest of .NET, Dart, Conda, R or C++', () => testManifests(examples, refused))
