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
  {
    says: 'a backslash joins lines as in pip: not after a comment, not with one, and not with the end of the file',
    file: 'requirements.txt',
    content: [
      '# built on C:\\temp\\',
      'after-comment',
      '   # indented \\',
      'after-indented',
      'hashed==1 \\',
      '# why',
      'after-hashed==1 \\',
      '  --hash=sha256:abc \\',
      '  # more',
      'after-more # swallows \\',
      'swallowed',
      'last==1 \\',
    ].join('\n'),
    names: ['after-comment', 'after-hashed', 'after-indented', 'after-more', 'hashed', 'last'],
  },
  {
    says: 'a requirement of a file or a folder is left out',
    file: 'requirements.txt',
    content: '-e .\n-e ./x\na @ file:///a\nb @ ./b\nc @ https://host.example/c.zip\n',
    names: ['c'],
  },
  {
    says: 'what pip freeze lists in an environment of Conda comes from the folders where Conda built it',
    file: 'requirements.txt',
    content: [
      'numpy @ file:///croot/numpy_1682210216651/work',
      'attrs @ file:///C:/ci/attrs_1604765588209/work#sha256=ab',
      'pandas @ file:///home/conda/feedstock_root/build_artifacts/pandas_1693415281895/work/dist/pandas-1.whl',
      'own @ file:///home/me/own_2/work',
      'other @ file:///home/me/other_1682210216651/workspace',
    ].join('\n'),
    names: ['attrs', 'numpy', 'pandas'],
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
Python = "^3.10"
Django = "^5"
local = { path = "../local" }
[tool.poetry.dev-dependencies]
black = "*"
[tool.poetry.group.docs.dependencies]
Sphinx_Theme = "1"
[tool.poetry.group.empty]
optional = true
`,
    names: ['asgiref', 'black', 'click', 'django', 'pytest', 'ruff', 'sphinx-theme', 'werkzeug'],
  },
  {
    says: 'packages of the same repository are left out, wherever the file says so',
    file: 'pyproject.toml',
    content: `
[project]
name = "me"
dependencies = ["by-uv", "in-workspace", "by-poetry", "sometimes", "hatch @ {root:uri}/hatch", "pdm @ file:///\${PROJECT_ROOT}/pdm"]
[dependency-groups]
dev = ["By_UV", "real"]
[tool.uv.sources]
By-uv = { path = "../by-uv", editable = true }
in-workspace = { workspace = true }
sometimes = [{ path = "a", marker = "x" }, { git = "https://host.example/sometimes" }]
[tool.poetry.dependencies]
by_poetry = { path = "../by-poetry", develop = true }
[tool.poetry.group.dev.dependencies]
both = [{ path = "a" }, { path = "b" }]
`,
    names: ['real', 'sometimes'],
  },
  {
    says: 'a project of Poetry or Flit that lists itself does not depend on itself',
    file: 'pyproject.toml',
    content: `
[tool.poetry]
name = "my.project"
[tool.flit.metadata]
module = "my_module"
requires-extra.all = ["my-module[test]", "a"]
[dependency-groups]
all = ["my_project[test]"]
`,
    names: ['a'],
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
    says: 'dependencies for development are read where PDM, Rye and uv list them, but not folders',
    file: 'pyproject.toml',
    content: `
[tool.uv]
dev-dependencies = ["Uv_Dev>=1", "member"]
[tool.uv.sources]
member = { workspace = true }
[tool.pdm.dev-dependencies]
test = ["pdm-test", "-e file:///\${PROJECT_ROOT}/sub#egg=sub"]
lint = ["pdm-lint"]
[tool.rye]
dev-dependencies = ["rye-dev"]
`,
    names: ['pdm-lint', 'pdm-test', 'rye-dev', 'uv-dev'],
  },
  {
    says: 'environments of Hatch are read, and what some cases add to them is computed',
    file: 'pyproject.toml',
    content: `
[project]
name = "me"
[tool.hatch.envs.default]
dependencies = ["pytest", "me[all]", "local @ {root:uri}/local"]
[tool.hatch.envs.docs]
extra-dependencies = ["mkdocs=={matrix:version}"]
[tool.hatch.envs.docs.overrides]
matrix.version.extra-dependencies = [{ value = "theme", if = ["2"] }]
`,
    names: ['mkdocs', 'pytest'],
    isComputed: true,
  },
  {
    says: 'environments of Hatch whose overrides change no dependencies are complete',
    file: 'pyproject.toml',
    content: `
[tool.hatch.envs.a]
dependencies = ["a"]
overrides.platform.windows.scripts = ["run"]
`,
    names: ['a'],
  },
  {
    says: 'a name with a context of Hatch is computed',
    file: 'pyproject.toml',
    content: '[tool.hatch.envs.a]\ndependencies = ["{env:NAME:b}", "c"]\n',
    names: ['c'],
    isComputed: true,
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
    says: 'lists and dictionaries are unpacked into others, if they are known',
    file: 'setup.py',
    content: `from setuptools import setup
docs, tests = [], ['not-this-way']
docs = ['sphinx']
lint = ('ruff', 'mypy')
extras = {'docs': docs}
setup(
    install_requires=['a', *lint],
    extras_require={**extras, 'all': [*docs, *['b'], *lint, 'c'], **{'d': ['d']}},
)
`,
    names: ['a', 'b', 'c', 'd', 'mypy', 'ruff', 'sphinx'],
  },
  {
    says: 'what is unpacked from elsewhere, or multiplied, is told',
    file: 'setup.py',
    content: `from setuptools import setup
from other import more
setup(install_requires=['a', *more, 'b'], extras_require={'x': ['c'] * more, **read('x')})
`,
    names: ['a', 'b', 'c'],
    isComputed: true,
  },
  {
    says: 'what only Python could evaluate is told, beside what stands there as such',
    file: 'setup.py',
    content: `import setuptools
setuptools.setup(install_requires=['a', f'{name}>=1', 'b%s' % x, 'c' + V, P + '>=1', 'd'] + read('r.txt').split(),
  extras_require={KEY: ['e'], 'x': [r for r in rs]})
`,
    names: ['a', 'd', 'e'],
    isComputed: true,
  },
  {
    says: 'a name before a computed version is known',
    file: 'setup.py',
    content: `from setuptools import setup
setup(
    install_requires=["a>=%s" % v, "b[x] >={}".format(v), f"c~={v}", "d==" + v, 'e=='
        f'{v}', rf'f!={v};python_version<"3"', "g <" + v + ",>=" + str(w)],
    extras_require={'x': "h>=%s" % v, 'y': ["i>%s" % read('v', 'w'), 'j']},
)
`,
    names: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'],
  },
  {
    says: 'a name before a computed version is known, on both sides of a condition',
    file: 'setup.py',
    content:
      "from setuptools import setup\nsetup(install_requires=['a==%s' % v if x else 'b==' + v if y else 'c', 'd'])",
    names: ['a', 'b', 'c', 'd'],
  },
  ...[
    "'a>=1\\n%s' % x",
    "'a>=%s' % x + '\\nb'",
    "'a>=1 b>=2'.split()",
    "'a>={} b>={}'.format(x, y).split()",
    "'a-%s>=1' % x",
    "'a[' + x + ']>=1'",
    "'a' + '>=1'",
    "f'{x}>=1'",
    "f'a{x}>=1'",
    "'a' f'{x}>=1'",
    "'%s>=1' % x",
  ].map((value) => ({
    says: `a text of which more than the version is computed is told: ${value}`,
    file: 'setup.py',
    content: `from setuptools import setup\nsetup(install_requires=[${value}, 'z'])`,
    names: ['z'],
    isComputed: true,
  })),
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
    says: 'a comment after a requirement is cut, and a text may have several lines',
    file: 'setup.py',
    content: `from setuptools import setup
setup(
    install_requires="a\\nb>=1  # why\\n\\t# not this",
    extras_require={'x': ['six>=1.9  # why', 'raw', r'''c
d # why''', 'e \\\\\\n>=1', 'f @ https://host.example/f#egg=f']},
    tests_require='joined \\
>=1',
)
`,
    names: ['a', 'b', 'c', 'd', 'e', 'f', 'joined', 'raw', 'six'],
  },
  {
    says: 'a project that lists itself to reuse its extras does not depend on itself',
    file: 'setup.py',
    content: `from setuptools import setup
NAME = 'My_Project'
setup(name=NAME, install_requires=['a'], extras_require={'all': ['my.project[x]', 'b']})
`,
    names: ['a', 'b'],
  },
  {
    says: 'setup may come from any package',
    file: 'setup.py',
    content: `from skbuild import (
    cmake, setup,
)
setup(install_requires=['a'])
def setup(): pass
`,
    names: ['a'],
  },
  {
    says: 'setup of a module and under another name is read, and that of something else is not',
    file: 'setup.py',
    content: `import skbuild.api, other as known
from skbuild import setup as build_it
skbuild.api.setup(install_requires=['a'])
known.setup(install_requires=['b'])
build_it(name='me', install_requires=['me[x]', 'c'])
app.setup(install_requires=['never'])
`,
    names: ['a', 'b', 'c'],
  },
  {
    says: 'a setup that is imported and not called is told',
    file: 'setup.py',
    content: 'from skbuild import setup\nrun(setup)',
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
    says: 'a comment after a requirement is cut, and the project itself does not count',
    file: 'setup.cfg',
    content: `[options]
install_requires =
    six>=1.9  # why
    f @ https://host.example/f#egg=f
tests_require = a; b # why
[options.extras_require]
all =
    My.Project[x]
[metadata]
name = my_project
`,
    names: ['a', 'b', 'f', 'six'],
  },
  {
    says: 'a line continues a value only if it is indented deeper than the key',
    file: 'setup.cfg',
    content: `[options]
  install_requires =
    a

    b
  packages = find:
  [options.extras_require]
  x =
   c
    d
  y = e
\t[metadata]
name = me
`,
    names: ['a', 'b', 'c', 'd', 'e'],
  },
  {
    says: 'a line below the heading of a section continues nothing, and a deeper heading is part of a value',
    file: 'setup.cfg',
    content: `[options]
packages = x
  [c]
install_requires = a
[other]
[options]
  tests_require = b
`,
    names: ['a', 'b'],
  },
  {
    says: 'values of the section and of DEFAULT are inserted, as Python does',
    file: 'setup.cfg',
    content: `[DEFAULT]
shared = from-default
[options]
dev = not-this
[options.extras_require]
Dev =
    pytest>=1
    mock ; python_version < "3"
docs = sphinx
all =
    %(dev)s
    %(DOCS)s
    %(shared)s
    percent; "100%%" > "5%"
most = %(all)s
`,
    names: ['from-default', 'mock', 'percent', 'pytest', 'sphinx'],
  },
  {
    says: 'extras in the key of a package are no part of its name',
    file: 'Pipfile',
    content:
      '[packages]\n"requests[security, socks]" = "*"\n"Local [x]" = { path = "." }\n"uvicorn [standard]" = "*"\n',
    names: ['requests', 'uvicorn'],
  },
  {
    says: 'extras in the key of a package are no part of its name, of Poetry either',
    file: 'pyproject.toml',
    content: `
[project]
dependencies = ["local"]
[tool.poetry.dependencies]
"python" = "^3"
"Celery[redis]" = "^5"
[tool.poetry.group.dev.dependencies]
"local[all]" = { path = "local" }
`,
    names: ['celery'],
  },
  {
    says: 'packages of every category are read, and what is about pipenv is not',
    file: 'Pipfile',
    content: `[[source]]
url = "https://index.example/simple"
[packages]
Flask = "*"
e1839a8 = { path = ".", editable = true }
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
    names: ['flask', 'pytest-cov', 'sphinx'],
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
  ['setup.cfg', '[options.extras_require]\na = %(b)s', /^line 2 refers to "b", which its section lacks$/],
  [
    'setup.cfg',
    '[options.extras_require]\na = %(b)s\nb = %(a)s',
    /^line \d refers to values that refer to others without end$/,
  ],
  ['Pipfile', '[packages', /^not valid TOML: line 1/],
  ['Pipfile', 'packages = 1', /^"packages" is not a table of names$/],
]

describe('a manifest of Python', () => testManifests(examples, refused))
