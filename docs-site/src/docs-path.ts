/// <reference types="vite/client" />
/** Where the docs and the API are on this host. */

/** The path of the docs, `/docs` or with a prefix, without a slash at the end. */
export const docsPath = import.meta.env.BASE_URL.replace(/\/$/, '')

/** The path of the API, which has the docs in its folder `docs`: empty, or the prefix. */
export const apiPath = docsPath.replace(/\/docs$/, '')
