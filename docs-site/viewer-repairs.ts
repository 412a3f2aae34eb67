/**
 * Repairs Scalar's markup for keyboards and screen readers: names, states, links.
 *
 * @module
 */

/** An attribute to set on elements of a selector; `null`: to remove. */
type Repair = readonly [selector: string, attribute: string, value: string | null]

const repairs: readonly Repair[] = [
  ['.scalar-code-copy:not([aria-label])', 'aria-label', 'Copy'],
  ['button:is([role="none"], [role="alert"])', 'role', null],
  ['[role="combobox"]:not([aria-expanded])', 'aria-expanded', 'false'],
  // The dialog adds a second list of notifications.
  ['[role="dialog"] [aria-label^="Notifications"]', 'aria-label', 'Messages about the request'],
]

/**
 * Repairs the page now and after each change. `linkOperation` returns the URL of an operation, which it gets as the page
 * shows it: method and path.
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
    attributeFilter: ['aria-expanded', 'aria-label', 'role'],
  })
}
