/** Which URLs name the same repository (decisions/0004-data.md). */
import { describe, expect, test } from 'vitest'
import { keyRepositoryUrl } from '../../api/names/repository-url.ts'

const widget = keyRepositoryUrl('https://forge.example/acme/widget')

describe('a repository’s URL', () => {
  test.each([
    'http://forge.example/acme/widget',
    'HTTPS://forge.example/acme/widget',
    'https://www.forge.example/acme/widget',
    'https://WWW.Forge.Example/Acme/WIDGET',
    'https://forge.example:443/acme/widget',
    'http://forge.example:80/acme/widget',
    'https://forge.example/acme/widget.git',
    'https://forge.example/acme/widget.GIT/',
    'https://forge.example/acme/widget/',
    'https://forge.example//acme//widget//',
    'https://forge.example/acme/widget?',
    'https://forge.example/acme/%77idget',
    'https://forge.example/acme/widget/tree/main',
    'https://forge.example/acme/widget/tree/main/docs/guide',
    'https://forge.example/acme/widget/blob/main/README.md',
    'https://forge.example/acme/widget/-/blob/main/README.md',
    'https://forge.example/acme/widget/src/branch/main',
    'https://forge.example/acme/widget/commit/0123abc',
    'https://forge.example/acme/widget/commits/main',
    'https://forge.example/acme/widget/issues/7',
    'https://forge.example/acme/widget/pull/7',
    'https://forge.example/acme/widget/pulls',
    'https://forge.example/acme/widget/branches',
    'https://forge.example/acme/widget/releases/tag/v1',
    'https://forge.example/acme/widget/tags',
    'https://forge.example/acme/widget/wiki',
    'https://forge.example/acme/widget/actions',
  ])('has another spelling: %s', (url) => {
    expect(keyRepositoryUrl(url)).toBe(widget)
  })

  test.each([
    'https://forge.example/acme/widgets',
    'https://forge.example/acme/widget-git',
    'https://forge.example/acme',
    'https://forge.example/acme/.git',
    'https://git.forge.example/acme/widget',
    'https://forge.example:8443/acme/widget',
    'https://forge.example:80/acme/widget',
    'https://forge.example/acme/widget/gadget',
    'https://forge.example/acme/widget/gadget/-/tree/main',
    'https://forge.example/acme%2Fwidget',
    'https://forge.example/acme/widget%3Ftab=readme',
    'https://forge.example/acme/widget?tab=readme',
    'https://forge.example/acme/widget#readme',
    'https://forge.example/acme/widget%00',
    'https://forge.example/acme/widget%zz',
    'ssh://forge.example/acme/widget',
    'git@forge.example:acme/widget',
    '',
  ])('is not: %s', (url) => {
    expect(keyRepositoryUrl(url)).not.toBe(widget)
  })

  test.each([
    ['https://forge.example/group/sub/widget', 'http://Forge.example/GROUP/sub/widget/'],
    ['https://forge.example/view?repo=widget', 'HTTP://forge.example/view?repo=Widget'],
    ['https://forge.example:8443/acme/widget', 'http://www.forge.example:8443/acme/widget.git'],
    ['https://forge.example/straße/é', 'https://forge.example/STRASSE/%C3%89'],
  ])('of another form has spellings too: %s and %s', (url, other) => {
    expect(keyRepositoryUrl(url)).toBe(keyRepositoryUrl(other))
  })
})
