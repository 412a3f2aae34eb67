/** Repairs Scalar's markup for keyboards and screen readers: names, states, links. */

/** An attribute to set on elements of a selector; `null`: to remove. */
type Repair = readonly [selector: string, attribute: string, value: string | null]

const repairs: readonly Repair[] = [
  ['.scalar-code-copy:not([aria-label])', 'aria-label', 'Copy'],
  ['button:is([role="none"], [role="alert"])', 'role', null],
  ['[role="combobox"]:not([aria-expanded])', 'aria-expanded', 'false'],
  // It would be a second banner beside ours.
  ['#viewer header:not([role])', 'role', 'presentation'],
  // The body of a response, which scrolls.
  ['.cm-content:not([aria-label])', 'aria-label', 'Body'],
  ['.cm-scroller:not([tabindex="0"])', 'tabindex', '0'],
  // The dialog adds a second list of notifications.
  ['[role="dialog"] [aria-label^="Notifications"]', 'aria-label', 'Messages about the request'],
]

/** Repairs the page after each change. `urls` has the place of each operation, by method and path: `get /users`. */
export function repairMarkup(urls: ReadonlyMap<string, string>): void {
  function repair() {
    isDue = false
    for (const [selector, attribute, value] of repairs) {
      for (const element of document.querySelectorAll(selector)) {
        if (value === null) element.removeAttribute(attribute)
        else element.setAttribute(attribute, value)
      }
    }
    for (const button of document.querySelectorAll('button[aria-controls]')) {
      const controlled = button.getAttribute('aria-controls') ?? ''
      if (document.getElementById(controlled) === null) button.removeAttribute('aria-controls')
    }
    for (const link of document.querySelectorAll('a.endpoint:not([href])')) {
      const url = urls.get([...link.children].map((part) => part.textContent.trim()).join(' '))
      if (url !== undefined) link.setAttribute('href', url)
    }
  }
  let isDue = false
  const observer = new MutationObserver(() => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(repair)
  })
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-controls', 'aria-expanded', 'aria-label', 'role', 'tabindex'],
  })
}
