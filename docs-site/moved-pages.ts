/**
 * Pages that have become a part of another one, and where they are now, below the docs. The service redirects their
 * URLs, those of their Markdown too. A browser keeps the anchor of the old URL, so the new page has the anchors of the
 * old one. Where the old page had none, the new URL names its section.
 */
export const movedPages: Readonly<Record<string, string>> = {
  alerts: 'observing/#alerts',
  'assistant-example': 'assistant-tools/#example',
  'automation-accounts': 'data/#automation-accounts',
  'batch-look-ups': 'filtering/#batch-look-ups',
  'billing-guarantees': 'credits/',
  'changing-lists': 'pagination/#lists-that-change',
  clients: 'tools/#packages',
  'clone-records': 'import-git/',
  clusters: 'replicas/',
  countries: 'data/',
  'deletion-lists': 'forget-a-person/',
  'deno-deploy': 'deno/',
  'devdata-mcp': 'connect-an-assistant/',
  'disk-and-memory': 'limits/',
  'find-names': 'filtering/',
  'github-records': 'import-github/',
  'github-requests': 'import-github/',
  metrics: 'observing/',
  poolers: 'replicas/',
  'python-errors': 'python-client/',
  'read-a-whole-list': 'quickstart/',
  'reference/get-coverage': 'reference/service/#get-coverage',
  'reference/get-health': 'reference/service/#get-health',
  'reference/get-metrics': 'reference/service/#get-metrics',
  'reference/get-version': 'reference/service/#get-version',
  'reference/list-keys': 'reference/keys/#list-keys',
  'reference/list-usage': 'reference/usage/#list-usage',
  'reference/list-usage-by-day': 'reference/usage/#list-usage-by-day',
  'refresh-jobs': 'keeping-fresh/',
  'refresh-problems': 'keeping-fresh/#problems',
  'request-limits': 'filtering/#limits-of-a-request',
  tracing: 'observing/',
}
