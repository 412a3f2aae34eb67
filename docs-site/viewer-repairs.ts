/**
 * What Scalar's markup lacks for readers who use a keyboard or hear the page: names, states, addresses.
 *
 * @module
 */

/** An attribute that elements of this selector should have; `null`: that they should not. */
type Repair = readonly [selector: string, attribute: string, value: string | null]

const repairs: readonly Repair[] = [
  ['.scalar-code-copy:not([aria-label])', 'aria-label', 'Copy'],
  ['button:is([role="none"], [role="alert"])', 'role', null],
  ['[role="combobox"]:not([aria-expanded])', 'aria-expanded', 'false'],
  // The dialog brings a second list of notifications.
  ['[role="dialog"] [aria-label^="Notifications"]', 'aria-label', 'Messages about the request'],
]

/**
 * Repairs what is on the page, and what comes onto it later.
 *
 * @param linkOperation the address of an operation, or `undefined`, by its method and path as the page shows them
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
      const address = linkOperation([...link.children].map((part) => part.textContent.trim()).join(' '))
      if (address !== undefined) link.setAttribute('href', address)
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
