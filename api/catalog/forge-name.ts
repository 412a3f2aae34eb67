/**
 * The rule for names of accounts and repositories, in requests and loads alike (`decisions/0004-data.md`).
 *
 * @module
 */

/** Matches valid names. */
export const forgeNamePattern = /^(?!\.{1,2}$)[\w.[\]-]{1,100}$/

/** The rule in words, to follow the name of a field or parameter. */
export const forgeNameRule = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'
