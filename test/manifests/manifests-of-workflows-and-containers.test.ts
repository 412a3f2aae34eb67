import { describe } from 'vitest'
import { type ManifestExample, type RefusedManifest, testManifests } from '../support/manifests.ts'

const examples: ManifestExample[] = [
  {
    says: 'actions and reusable workflows count by their repository; local ones and images do not',
    file: '.github/workflows',
    content: `on: push
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: "actions/cache/restore@0123456789012345678901234567890123456789" # v4
      - uses: ./.github/actions/local
      - uses: docker://alpine:3.20
      - run: echo uses actions/none@v1
      - uses: \${{ matrix.action }}
  call:
    uses: octo-org/workflows/.github/workflows/deploy.yml@main
  local:
    uses: ./.github/workflows/other.yml
`,
    names: ['actions/cache', 'actions/checkout', 'octo-org/workflows'],
  },
  {
    says: 'a workflow without jobs has none',
    file: '.github/workflows',
    content: 'on: push\njobs:\n',
    names: [],
  },
  {
    says: 'steps of a composite action count',
    file: 'action.yml',
    content: `name: Set up
runs:
  using: composite
  steps:
    - uses: actions/setup-node@v4
    - shell: bash
      run: npm ci
`,
    names: ['actions/setup-node'],
  },
  {
    says: 'an action of JavaScript has no steps',
    file: 'action.yml',
    content: 'runs: {using: node20, main: a.js}',
    names: [],
  },
  {
    says: 'charts count by name, those of a folder and those without a repository do not',
    file: 'Chart.yaml',
    content: `apiVersion: v2
name: shop
dependencies:
  - name: postgresql
    version: 15.x
    repository: oci://registry.example/charts
  - {name: common, repository: "file://../common"}
  - {name: subchart, version: 1}
  - {name: empty, repository: ''}
  - {name: aliased, repository: '@stable'}
  - version: 1
`,
    names: ['aliased', 'postgresql'],
  },
  {
    says: 'images of stages count without tag and digest; earlier stages and scratch do not',
    file: 'Dockerfile',
    content: `# syntax=docker/dockerfile:1
ARG NODE=22
FROM --platform=$BUILDPLATFORM node:\${NODE}-slim AS Build
RUN echo FROM nowhere
FROM build AS test
FROM docker.io/library/debian:12@sha256:0123 \\
  AS base
from ghcr.io:443/owner/tool:1.2
FROM scratch
COPY --from=build /app /app
`,
    names: ['debian', 'ghcr.io:443/owner/tool', 'node'],
  },
  {
    says: 'a default of an argument counts, and a name without one is computed',
    file: 'Dockerfile',
    content: 'ARG BASE="alpine:3"\nFROM ${BASE}\nFROM $OTHER\nFROM ${THIRD:-busybox:1}\nFROM image:$TAG\n',
    names: ['alpine', 'busybox', 'image'],
    isComputed: true,
  },
  ...(
    [
      // The right values are those of BuildKit, except where only arguments or a template name the image.
      [
        '# escape=`\nFROM mcr.microsoft.com/windows/servercore:ltsc2022\nRUN a `\n b',
        'mcr.microsoft.com/windows/servercore',
      ],
      ['# syntax=docker/dockerfile:1\r\n#Escape = `\r\nFROM `\r\n  alpine\r\n', 'alpine'],
      ['#\n# escape=`\nFROM alpine \\\n AS a\nFROM a', 'alpine'],
      ['# see C:\\\nFROM alpine:3', 'alpine'],
      ['FROM a\nRUN echo `date`\nFROM b', 'a b'],
      ['FROM \\\n# comment \\\n\n  # another\nalpine:3', 'alpine'],
      ['FROM alpine\\\\\nFROM b', 'b', true],
      ['FROM "alpine:3"\nFROM \'b\':1', 'alpine b'],
      ['FROM python:3\nRUN python3 <<EOF\nfrom pathlib import Path\nEOF\nFROM b', 'python b'],
      [
        'FROM a\nCOPY <<-"A" <<B /x\nfrom users\n\tA\nFROM no\nB\nONBUILD run cat << EOF\nFROM no\nEOF\nFROM b',
        'a b',
      ],
      ['FROM a\nRUN ["sh", "-c", "cat <<EOF"]\nRUN echo "<<EOF" $((1<<2)) \'<<EOF\'\nFROM b', 'a b'],
      ['ARG UNUSED=x \\\n    BASE=alpine\nFROM ${BASE}:3', 'alpine'],
      ['ARG WORLD=world\nARG IMAGE=hello-${WORLD}\nFROM ${IMAGE}:1', 'hello-world'],
      ['ARG BASE=\nFROM ${BASE:-alpine}:3\nFROM ${BASE-busybox}b', 'alpine b'],
      ['ARG A="a b" B=\'c\'\nFROM ${A:+x}${B:+y}${C:+z}\nFROM ${C:-${B:-d}}', 'xy c'],
      ['ARG BASE=alpine\nFROM $BASE AS a\nARG BASE=not-used\nFROM $BASE', 'alpine'],
      ['FROM a AS b\nARG C=d\nFROM $C', 'a', true],
      ['FROM image-$TARGETARCH\nFROM ${TARGETARCH:+known}\nFROM x:$TARGETARCH', 'known x', true],
      ['ARG V\nFROM ${V#v}\nFROM a:${V%-*}', 'a', true],
      ['FROM a AS build-amd64\nFROM b AS build-arm64\nFROM build-$TARGETARCH\nFROM build-$OTHER:1', 'a b'],
      ['FROM a AS x-base\nFROM ${V}-base\nFROM ${V}-Base-${W}\nFROM {{ v }}-BASE AS c', 'a', true],
      ['FROM a AS b-c\nFROM b$X-c', 'a'],
      ['FROM a AS b-c\nFROM b-$X-c', 'a', true],
      ['FROM build-$TARGETARCH\nFROM a AS build-amd64', 'a', true],
      ['FROM a AS b\nFROM host.example/$X\nFROM $X\nFROM $X$Y', 'a', true],
      ['FROM a b', '', true],
      ['FROM {{ base_image }}:{{ tag }}\nFROM node:{{ version }} AS b\nFROM b', 'node', true],
      ['FROM <%= base %> AS a\nFROM a', '', true],
      ['FROM balenalib/%%MACHINE%%-node:14\nFROM @BASE@\nFROM __BASE__\nFROM BASE', '', true],
      ['ARG A={{ a }}\nFROM $A\nFROM ${A:-b}', '', true],
      [`ARG a=${'x'.repeat(40_000)}\nFROM ${'$a'.repeat(250)}\nFROM b`, 'b', true],
      [`FROM ${'${a:-'.repeat(1000)}b${'}'.repeat(1000)}`, '', true],
    ] as const
  ).map(
    ([content, names, isComputed = false]): ManifestExample => ({
      says: JSON.stringify(content.slice(0, 70)),
      file: 'Dockerfile',
      content,
      names: names.split(' ').filter(Boolean),
      isComputed,
    }),
  ),
]

const refused: RefusedManifest[] = [
  ['.github/workflows', 'jobs: [', /^not valid YAML: /],
  ['.github/workflows', 'jobs: none', /^"jobs" is not a table of names/],
  ['Chart.yaml', 'a: *unknown', /^not valid YAML: |Unresolved alias/],
  ['Dockerfile', 'FROM a\n>>>>>>> theirs\n', /^line 2 is a conflict marker/],
  ['Dockerfile', 'FROM a\nRUN <<EOF\nFROM b\n', /^line 2: the heredoc EOF is not closed/],
]

describe('a workflow, an action, a chart or a Dockerfile', () => testManifests(examples, refused))
