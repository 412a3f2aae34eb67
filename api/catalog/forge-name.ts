/**
 * What an account or a repository of a forge may be called (`decisions.md`, Single resources): the same for what is
 * asked for and for what is loaded.
 *
 * @module
 */

/** Matches the names that there can be. */
export const forgeNamePattern = /^(?!\.{1,2}$)[\w.[\]-]{1,100}$/

/** The rule in words, to follow the name of a field or parameter. */
export const forgeNameRule = 'must be 1 to 100 letters, digits, -, _, ., [ or ], and not . or ..'
