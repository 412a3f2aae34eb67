/**
 * Names the scopes of components' styles by the component's path in the project. Astro's own names depend on the folder
 * of the clone, so that two clones would not build the same bytes.
 */
import { createHash } from 'node:crypto'
import { relative, sep } from 'node:path'

const astroScope = /(?<![\w-])astro-[a-z0-9]{8}(?![\w-])/g

/** A plugin for Vite. `project` is the folder of the clone. */
export function createStyleScopes(project: string) {
  return {
    name: 'devdata-style-scopes',
    /** Runs for each component, and for each of its styles, once Astro has named their scope. */
    transform(code: string, id: string): string | undefined {
      const [file = ''] = id.split('?')
      if (!file.endsWith('.astro')) return undefined
      // Packages may be in a folder above.
      const path = relative(project, file)
        .split(sep)
        .join('/')
        .replace(/^.*(?=node_modules\/)/, '')
      const scope = createHash('sha256').update(path).digest('hex').slice(0, 8)
      return code.replace(astroScope, `astro-${scope}`)
    },
  }
}
