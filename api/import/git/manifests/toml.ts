import { parse, TomlError } from 'smol-toml'
import { describeError, type Table } from './untyped-table.ts'

/**
 * Parses a TOML document.
 *
 * @throws {Error} with line and column when it is not TOML
 */
export function parseToml(content: string): Table {
  try {
    // TOML allows integers that JavaScript numbers can't represent.
    return parse(content, { integersAsBigInt: 'asNeeded' })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The first line is the reason. An excerpt of the file follows.
    const reason = describeError(error.message.split('\n')[0])
    throw new Error(`not valid TOML: line ${error.line}, column ${error.column}: ${reason}`, { cause: error })
  }
}
