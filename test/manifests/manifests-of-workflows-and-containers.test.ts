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
]

const refused: RefusedManifest[] = [
  ['.github/workflows', 'jobs: [', /^not valid YAML: /],
  ['.github/workflows', 'jobs: none', /^"jobs" is not a table of names/],
  ['Chart.yaml', 'a: *unknown', /^not valid YAML: |Unresolved alias/],
  ['Dockerfile', 'FROM a\n>>>>>>> theirs\n', /^line 2 is a conflict marker/],
]

describe('a workflow, an action, a chart or a Dockerfile', () => testManifests(examples, refused))
