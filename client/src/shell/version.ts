/** The version of the package, as `package.json` and `deno.json` have it. */
export const version = '0.2.0'
