/**
 * Patterns with wildcards. They stand in manifests of strangers, so matching takes at most the product of both lengths.
 * Regular expressions and glob libraries, which translate patterns into them, may take far longer.
 */

/** Whether a text matches a pattern, in which `*` stands for any characters, and `?` for one. */
export function isLike(text: string, pattern: string): boolean {
  return matches<string>(text, pattern, '*', (character, part) => part === '?' || part === character)
}

/** Paths of folders, from the top of the repository. */
export interface FolderPatterns {
  paths: ReadonlySet<string>
  /** Patterns with wildcards, as segments. */
  wild: readonly (readonly string[])[]
}

/** Whether a folder is one of the paths, or matches a pattern, in which `**` stands for any folders. */
export function hasFolder({ paths, wild }: FolderPatterns, folder: string): boolean {
  if (paths.has(folder)) return true
  if (wild.length === 0) return false
  const segments = folder.split('/')
  return wild.some((pattern) => matches(segments, pattern, '**', isLike))
}

/** Whether items match a pattern, in which `any` stands for any items. */
function matches<Item>(
  items: ArrayLike<Item>,
  pattern: ArrayLike<Item>,
  any: Item,
  isMatch: (item: Item, part: Item) => boolean,
): boolean {
  let [at, next] = [0, 0]
  let lastAny = -1
  let endOfAny = 0
  for (let item = items[at]; item !== undefined; item = items[at]) {
    const part = pattern[next]
    if (part === any) {
      lastAny = next++
      endOfAny = at
    } else if (part !== undefined && isMatch(item, part)) {
      at++
      next++
    } else if (lastAny !== -1) {
      // The last `any` takes one item more.
      at = ++endOfAny
      next = lastAny + 1
    } else return false
  }
  while (pattern[next] === any) next++
  return next === pattern.length
}

/** A pattern may have several braces, and each doubles the patterns. */
const maxExpanded = 100

/** Lists the patterns that a pattern with braces, `{app,lib}-*`, stands for. */
export function expandBraces(pattern: string): string[] {
  let expanded = [pattern]
  for (;;) {
    const next = expanded.flatMap((each) => {
      const [braces, list] = /\{([^{}]*)\}/.exec(each) ?? []
      return braces === undefined || list === undefined
        ? [each]
        : list.split(',').map((part) => each.replace(braces, () => part))
    })
    if (next.length > maxExpanded || next.every((each, index) => each === expanded[index])) return expanded
    expanded = next
  }
}
