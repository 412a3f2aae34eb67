import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { formats, formatsByFile } from '../../api/manifests/formats.ts'
import { decodeManifest } from '../../api/manifests/manifest.ts'
import { findManifest } from '../../api/manifests/manifest-paths.ts'
import { findSpelling } from '../../api/names/dependency-names.ts'

test('a manifest is found by its base name, case and all, outside third-party folders', () => {
  const names = {
    ...Object.fromEntries(
      [...formatsByFile.keys()]
        .filter((file) => !file.includes('/'))
        .map((file) => [file.replace('*', 'engine'), file]),
    ),
    'environment.yaml': 'environment.yml',
    'environment-dev.yml': 'environment.yml',
    'environment_py312.yaml': 'environment.yml',
    'docs-environment.yml': 'environment.yml',
    'ci/envs/312-dev.yaml': 'environment.yml',
    'action.yaml': 'action.yml',
    Containerfile: 'Dockerfile',
    'Dockerfile.dev': 'Dockerfile',
    'Dockerfile.web.j2': 'Dockerfile',
    'test-libs.versions.toml': 'libs.versions.toml',
    'project/Libraries.scala': 'Dependencies.scala',
    'worker.Dockerfile': 'Dockerfile',
    'requirements.in': 'requirements.txt',
    'dev-requirements.in': 'requirements.txt',
    'requirements-dev.txt': 'requirements.txt',
    'requirements_dev.txt': 'requirements.txt',
    'test-requirements.txt': 'requirements.txt',
    'requirements-adapt.txt': 'requirements.txt',
    'requirements-system-tests.txt': 'requirements.txt',
  }
  for (const [name, file] of Object.entries(names)) {
    const format = formatsByFile.get(file)?.files[0]
    // Python's files keep their names. Of others, the base name says nothing.
    const manifest = { fileName: format === 'requirements.txt' ? name : file, format, isOfTests: false }
    expect(findManifest(name)).toEqual(manifest)
    expect(findManifest(`packages/a b/${name}`)).toEqual(manifest)
    expect(findManifest(`my-vendor/${name}`)).toEqual(manifest)
    expect(findManifest(`packages/test/${name}`)).toEqual({ ...manifest, isOfTests: true })
    expect(findManifest(`packages/node_modules/x/${name}`)).toBeUndefined()
    expect(findManifest(`vendor/${name}`)).toBeUndefined()
  }
  expect(findManifest('.github/workflows/ci.yml')).toEqual({
    fileName: '.github/workflows',
    format: 'action.yml',
    isOfTests: false,
  })
  expect(findManifest('requirements/dev.txt')).toMatchObject({
    fileName: 'dev.txt',
    format: 'requirements.txt',
  })
  expect(findManifest('a/requirements/dev.txt')).toMatchObject({ fileName: 'dev.txt' })
  expect(findManifest('requirements/a/b/dev.txt')).toMatchObject({ fileName: 'dev.txt' })
  expect(findManifest('conda/requirements.txt')).toMatchObject({ fileName: 'requirements.txt' })
  expect(findManifest('system/requirements-dev.txt')).toMatchObject({ fileName: 'requirements-dev.txt' })
  for (const path of [
    'Pods/x/package.json',
    'x/.github/workflows/ci.yml',
    '.github/workflows/x/ci.yml',
    'Dockerfile-dev',
    'Dockerfile.md',
    'Dockerfile.dev.dockerignore',
    'Libraries.scala',
    'project/build.sbt',
    'project/project/Dependencies.scala',
    'src/main/scala/com/x/project/Project.scala',
    'core/src/project/Project.scala',
    'vendor/a/b.csproj',
    'gemfile',
    'package.json/README',
    'my-package.json',
    'dev.txt',
    'requirements.d/a/dev.txt',
    'ci/envs/README.md',
    'ci/envs/old/312.yaml',
    'envs/production.yaml',
    'myenvironment.yml',
    'environment-dev.json',
    'requirements/constraints.txt',
    'requirements/constraints/dev.txt',
    'requirements/common_constraints.txt',
    'requirements/constraints311.txt',
    'requirements/constraints-3.9/base.txt',
    'requirements/base-constraints.txt',
    'requirements/upper-constraints.in',
    'requirements/constraint.txt',
    'requirements-constraints.txt',
    'constraints-requirements.txt',
    'requirements-apt.txt',
    'apt_requirements.txt',
    'requirements/apt.txt',
    'requirements.brew.txt',
    'requirements-yum-7.txt',
    'requirements_dnf.txt',
    'requirements/dev.apk.txt',
    'system requirements.txt',
    'system-requirements.txt',
    'requirements-conda.txt',
    'conda-requirements.txt',
    'requirements/README.md',
    'myrequirements.txt',
  ]) {
    expect([path, findManifest(path)]).toEqual([path, undefined])
  }
})

test("a dependency's name is compared as its format spells it, and the docs name each file of a format", () => {
  const page = readFileSync(
    resolve(import.meta.dirname, '../../docs-site/src/content/docs/manifests.md'),
    'utf8',
  )
  for (const { files, spelling } of formats) {
    for (const file of files) {
      expect([file, findSpelling(file)]).toEqual([file, spelling])
      expect([file, page.includes(`\`${file}\``) || page.includes(`\`${file}/`)]).toEqual([file, true])
    }
  }
})

test('a manifest is read as UTF-8, or as UTF-16 with a byte order mark', () => {
  const text = 'flask==2.0\r\n'
  const little = Buffer.from(`\uFEFF${text}`, 'utf16le')
  expect(decodeManifest(little)).toBe(text)
  expect(decodeManifest(Buffer.from(little).swap16())).toBe(text)
  expect(decodeManifest(Buffer.from(`\uFEFF${text}`))).toBe(text)
  expect(decodeManifest(Uint8Array.of(0x61, 0xff))).toBe('a\uFFFD')
})
