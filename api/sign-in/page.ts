/** The page on which a person connects an assistant. It needs no script, and nothing may frame it. */
import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { isLoopback } from '../names/loopback.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { EnteredLimits } from './limits.ts'

const style = `:root{color-scheme:light dark;background:canvas;color:canvastext}
body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:8vh auto;padding:0 1.25rem}
h1{font-size:1.6rem;line-height:1.2;overflow-wrap:anywhere}
label{display:block;margin-top:1rem;font-weight:600}
input{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #767676;border-radius:.375rem}
.limits input{width:9rem}
small{display:block;margin-bottom:.25rem}
[aria-invalid]{border-color:#c62828;box-shadow:0 0 0 1px #c62828}
a{color:inherit}
button{font:inherit;margin:1.5rem .75rem 0 0;padding:.5rem 1.25rem;border:1px solid #2f5fd0;border-radius:.375rem;background:#2f5fd0;color:#fff;cursor:pointer}
button.cancel{background:none;color:inherit;border-color:#767676}
.host{font-weight:700;overflow-wrap:anywhere}
.problem{border-left:.25rem solid #c62828;padding-left:.75rem}`

const styleHash = createHash('sha256').update(style).digest('base64')

/**
 * The content security policy of the page. It has no `form-action`: Chromium and WebKit apply that to all redirects
 * after the form, and the servers of connectors redirect a browser to any URL, such as `claude:`.
 */
export const signInContentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The path is relative, so it works below the path of `BASE_URL`. A new tab keeps what was entered. */
const yourKeyLink = html`<a href="docs/your-key/#connections" target="_blank" rel="noopener">Your key</a>`

/** A problem of the page. */
export const tooManyConnections = html`This key has 50 connections, the most that a key can have. End one on the page ${yourKeyLink}, then select Allow again.`

/** What the page shows. */
export interface SignInPage {
  /** Undefined: the request can't be used. */
  request?: AuthorizationRequest | undefined
  /** Who runs the service. */
  operator: string
  problem?: PageProblem | undefined
  /** Once the key is known: itself, what it has, and what to allow. */
  key?: { secret: string; balance: number } | undefined
  limits: EnteredLimits
}

/** What was wrong with what was sent. */
interface PageProblem {
  text: string | typeof tooManyConnections
  /** The field to correct; undefined: none. */
  field?: 'api_key' | keyof EnteredLimits | undefined
}

/** Writes the page. */
export async function writeSignInPage(page: SignInPage): Promise<string> {
  const { request, problem } = page
  const title =
    request === undefined ? 'This assistant can’t be connected' : `Connect ${request.connector.name}`
  const text = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${problem === undefined ? '' : html`<p class="problem" id="problem" role="alert">${problem.text}</p>`}
${request === undefined ? html`<p>Nothing was sent to it. Close this page, and try again in your assistant.</p>` : writeForm(request, page)}
</main>
</body>
</html>
`
  return String(await text)
}

function writeForm({ connector, redirectUri }: AuthorizationRequest, page: SignInPage) {
  const { operator, key } = page
  const { host, hostname } = new URL(redirectUri)
  const place = isLoopback(hostname)
    ? html`It is a program on this computer (<span class="host">${host}</span>): continue only if you have just started it`
    : html`Its host is <span class="host">${host}</span>: continue only if you trust this host, because anyone can choose any name`
  return html`<p>An assistant that calls itself “${connector.name}” asks to read data from ${operator} and to spend your credits. ${place}.</p>
<form method="post">
${key === undefined ? writeKeyField(page) : writeLimitFields(key, page)}
<button name="answer" value="${key === undefined ? 'continue' : 'allow'}">${key === undefined ? 'Continue' : 'Allow'}</button>
<button class="cancel" name="answer" value="cancel" formnovalidate>Cancel</button>
</form>`
}

/** A field, its hint, and what else its `input` has. */
interface Field {
  name: NonNullable<PageProblem['field']>
  label: string
  hint: string | ReturnType<typeof html>
  input: ReturnType<typeof html>
}

/** Writes a field. One that is wrong gets the focus, and screen readers say why it is wrong. */
function writeField({ name, label, hint, input }: Field, { problem }: SignInPage) {
  const isWrong = problem?.field === name
  const state = `${isWrong ? ' aria-invalid="true"' : ''}${isWrong || name === 'api_key' ? ' autofocus' : ''}`
  return html`<label for="${name}">${label}</label>
<small id="${name}-hint">${hint}</small>
<input id="${name}" name="${name}" ${input} aria-describedby="${isWrong ? 'problem ' : ''}${name}-hint"${raw(state)}>
`
}

function writeKeyField(page: SignInPage) {
  return writeField(
    {
      name: 'api_key',
      label: 'Your API key',
      hint: 'The assistant doesn’t get your key. On the next page, you choose what it may spend.',
      input: html`type="password" autocomplete="off" required maxlength="1000"`,
    },
    page,
  )
}

function writeLimitFields({ secret, balance }: NonNullable<SignInPage['key']>, page: SignInPage) {
  const { credits, credits_per_call, days } = page.limits
  const fields: Field[] = [
    {
      name: 'credits',
      label: 'Credits in all',
      hint: 'It can never spend more than this.',
      input: html`type="number" min="1" required value="${credits}"`,
    },
    {
      name: 'credits_per_call',
      label: 'Credits for each call',
      hint: 'Leave empty for no limit per call.',
      input: html`type="number" min="1" value="${credits_per_call}"`,
    },
    {
      name: 'days',
      label: 'Days until it ends',
      hint: html`You can end it earlier on the page ${yourKeyLink}.`,
      input: html`type="number" min="1" max="365" required value="${days}"`,
    },
  ]
  return html`<p>Your key has <strong>${balance.toLocaleString('en')}</strong> credits.</p>
<input type="hidden" name="api_key" value="${secret}">
<div class="limits">
${fields.map((field) => writeField(field, page))}</div>`
}
