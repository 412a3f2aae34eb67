/**
 * The light theme of readers without JavaScript, and of paper.
 *
 * Starlight writes `data-theme="dark"` into every page, and a script sets the theme that the reader or the system
 * prefers. So that the system's theme also shows without the script, each rule of the light theme is repeated for that
 * case. Paper is white in every theme.
 */
import type { ViteUserConfig } from 'astro'

type PostCssOptions = Exclude<NonNullable<NonNullable<ViteUserConfig['css']>['postcss']>, string>
type PostCssPlugin = NonNullable<PostCssOptions['plugins']>[number]

const lightTheme = /\[data-theme=["']?light["']?\]/g

/**
 * A PostCSS plugin that repeats the rules of the light theme for readers without scripts who prefer it, and for paper.
 */
export const systemTheme: PostCssPlugin = {
  postcssPlugin: 'devdata-system-theme',
  Once(root, { AtRule }) {
    root.walkRules(/\[data-theme=["']?light/, (rule) => {
      const params = 'print, (scripting: none) and (prefers-color-scheme: light)'
      // The copy has the same specificity.
      const selector = rule.selector.replace(lightTheme, '[data-theme]')
      rule.after(new AtRule({ name: 'media', params, nodes: [rule.clone({ selector })] }))
    })
  },
}
