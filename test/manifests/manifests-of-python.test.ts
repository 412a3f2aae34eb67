import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

const examples: ManifestExample[] = [
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
]

const refused: RefusedManifest[] = [
  ['requirements.txt', 'ok\nPython 3.6 or later\n', /^line 2 is not a requirement: Python 3\.6 or later$/],
  ['requirements.txt', 'a \\\n  b\n', /^line 1 is not a requirement: a b$/],
  ['requirements.txt', '<<<<<<< HEAD\na\n', /^line 1 is not a requirement/],
  ['requirements.txt', 'numpy=1.0=py37_0', /^line 1 is not a requirement/],
  ['pyproject.toml', '[project\n', /^not valid TOML: line 1, column \d+: /],
  ['pyproject.toml', '[project]\ndependencies = "x"', /^"project\.dependencies" is not a list/],
  ['pyproject.toml', '[project]\ndependencies = ["a b"]', /^"project\.dependencies" contains .*: a b$/],
  ['pyproject.toml', '[tool]\npoetry.dependencies = 1', /^"tool\.poetry\.dependencies" is not a table/],
  ['pyproject.toml', '[dependency-groups]\n"a\\nb" = ["c d"]', /^"dependency-groups\.a b" contains/],
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
]

describe('a manifest of Python', () => testManifests(examples, refused))
