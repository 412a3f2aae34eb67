/** Reads built pages. */
import type { Element, Nodes } from 'hast'

/** The outermost elements below a node that pass a test, in their order. */
export function listElements(node: Nodes, test: (element: Element) => boolean): Element[] {
  if (node.type === 'element' && test(node)) return [node]
  return 'children' in node ? node.children.flatMap((child) => listElements(child, test)) : []
}

/** The text of a node, without its markup. */
export function readText(node: Nodes): string {
  if (node.type === 'text') return node.value
  return 'children' in node ? node.children.map(readText).join('') : ''
}
