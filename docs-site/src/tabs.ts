/** A part of the portal with a sidebar of its own. `route-data.ts` sets them, `components/Tabs.astro` shows them. */
export interface Tab {
  label: string
  /** Its first page. */
  href: string
  /** Whether the page belongs to it. */
  isCurrent: boolean
}

declare global {
  namespace App {
    interface Locals {
      tabs: Tab[]
      /** The page as Markdown; undefined if there is none. */
      markdownPath?: string
    }
  }
}
