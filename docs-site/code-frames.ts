/**
 * The look of code: near-black green with mint in both themes, and one frame with or without a title. The colors of
 * frames are variables of `src/portal.css`.
 */
import type { StarlightExpressiveCodeOptions } from '@astrojs/starlight/expressive-code'

/** A rule of a VS Code theme. */
const paint = (foreground: string, ...scope: string[]) => ({ scope, settings: { foreground } })

const theme = {
  name: 'devdata',
  type: 'dark' as const,
  colors: { 'editor.background': '#0c1b16', 'editor.foreground': '#d5e5de' },
  settings: [
    paint('#8fa69d', 'comment', 'punctuation', 'meta.brace', 'keyword.operator'),
    paint('#8ecbff', 'keyword', 'storage', 'keyword.other', 'variable.language'),
    paint('#f0cf95', 'string', 'punctuation.definition.string'),
    paint('#f7ab85', 'constant', 'constant.numeric', 'constant.language', 'variable.other.normal.shell'),
    paint(
      '#7fe3c2',
      'entity.name',
      'support.type.property-name',
      'support.function',
      'meta.object-literal.key',
    ),
  ],
}

/** Options of Expressive Code, which draws the frames. */
export const codeFrames: StarlightExpressiveCodeOptions = {
  themes: [theme],
  // By default, a line that takes half a second on a busy machine keeps its rest without colors.
  shiki: {
    transformers: [
      {
        preprocess(_code, options) {
          Object.assign(options, { tokenizeTimeLimit: 0 })
        },
      },
    ],
  },
  useStarlightDarkModeSwitch: false,
  // Wide code wraps: a box that scrolls sideways would need a name and focus for keyboards.
  defaultProps: { wrap: true, frame: 'code' },
  styleOverrides: {
    borderColor: 'var(--code-line)',
    borderRadius: '0.625rem',
    codeBackground: 'var(--code)',
    codeFontFamily: 'var(--__sl-font-mono)',
    codeFontSize: 'var(--sl-text-code)',
    codeLineHeight: '1.65',
    codePaddingBlock: '0.875rem',
    codePaddingInline: '1rem',
    uiFontFamily: 'var(--__sl-font)',
    uiFontSize: '0.8125rem',
    frames: {
      editorTabBarBackground: 'var(--code)',
      editorTabBarBorderBottomColor: 'var(--code-line)',
      editorTabBarBorderColor: 'var(--code-line)',
      editorActiveTabBackground: 'transparent',
      editorActiveTabBorderColor: 'transparent',
      editorActiveTabForeground: 'var(--code-soft)',
      editorActiveTabIndicatorTopColor: 'transparent',
      editorActiveTabIndicatorBottomColor: 'transparent',
      editorBackground: 'var(--code)',
      frameBoxShadowCssValue: 'none',
      inlineButtonForeground: 'var(--code-soft)',
      inlineButtonBorder: 'transparent',
      inlineButtonBackground: '#21372f',
    },
    textMarkers: { markBackground: 'var(--code-mark)', markBorderColor: 'transparent' },
  },
}
