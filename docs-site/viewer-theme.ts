/** The theme of the viewer, which is the theme of the docs. */

/** Starlight's item with the theme chosen in the docs: `dark`, `light` or empty. */
const item = 'starlight-theme'
const changeEvent = 'devdata-theme'

export type Theme = 'dark' | 'light'

/** The theme of the page: the one chosen, or the system's. */
export function readTheme(): Theme {
  const stored = localStorage.getItem(item)
  if (stored === 'dark' || stored === 'light') return stored
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Shows a theme, and tells every listener. `store` keeps it for the docs and later visits. */
export function setTheme(theme: Theme, { store = false } = {}): void {
  if (store) localStorage.setItem(item, theme)
  document.documentElement.dataset.theme = theme
  document.body.classList.toggle('dark-mode', theme === 'dark')
  document.body.classList.toggle('light-mode', theme === 'light')
  document.dispatchEvent(new Event(changeEvent))
}

/** Calls `listener` after each change of the theme. */
export function onThemeChange(listener: () => void): void {
  document.addEventListener(changeEvent, listener)
}
