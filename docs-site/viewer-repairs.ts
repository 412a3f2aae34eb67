/** Repairs Scalar's markup for keyboards and screen readers: names, states, links. */

/** An attribute to set on elements of a selector; `null`: to remove. */
type Repair = readonly [selector: string, attribute: string, value: string | null]

const repairs: readonly Repair[] = [
  ['.scalar-code-copy:not([aria-label])', 'aria-label', 'Copy'],
  ['button:is([role="none"], [role="alert"])', 'role', null],
  ['[role="combobox"]:not([aria-expanded])', 'aria-expanded', 'false'],
  // On a phone, Scalar's bar with its menu would be a second banner beside ours.
  ['#app header:not([role])', 'role', 'presentation'],
  ['.t-doc__header:not([role])', 'role', 'navigation'],
  ['.t-doc__header:not([aria-label])', 'aria-label', 'Place in the list'],
  // The body of a response, which scrolls.
  ['.cm-content:not([aria-label])', 'aria-label', 'Body'],
  ['.cm-scroller:not([tabindex="0"])', 'tabindex', '0'],
  // The dialog adds a second list of notifications.
  ['[role="dialog"] [aria-label^="Notifications"]', 'aria-label', 'Messages about the request'],
]

/**
 * Repairs the page now and after each change. `linkOperation` returns the URL of an operation, which it gets as the
 * page shows it: method and path.
 */
export function repairMarkup(linkOperation: (operation: string) => string | undefined): void {
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
      const url = linkOperation([...link.children].map((part) => part.textContent.trim()).join(' '))
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
