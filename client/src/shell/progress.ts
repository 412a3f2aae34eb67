/** Progress on standard error: one line that is redrawn on a terminal, elsewhere a line at the end. */

/** How far a command is. */
export interface ProgressState {
  items: number
  /** Items in all, as far as that is known. */
  total: number | undefined
  /** What was spent, and the balance, in credits. */
  spent: number
  balance: number | undefined
}

/** What shows it. */
export interface Progress {
  update(state: ProgressState): void
  /** Prints a line that stays. */
  note(text: string): void
  /** Prints the last state. */
  end(): void
}

const intervalMs = 200

/** Shows progress on a stream, unless it is to be quiet. */
export function createProgress(stream: NodeJS.WriteStream, isQuiet: boolean): Progress {
  let state: ProgressState | undefined
  let drawnAt = 0
  const clear = stream.isTTY ? '\r\u001B[2K' : ''
  const write = (text: string) => {
    if (!isQuiet) stream.write(text)
  }
  return {
    update(next) {
      state = next
      if (!stream.isTTY || performance.now() - drawnAt < intervalMs) return
      drawnAt = performance.now()
      write(clear + describe(state))
    },
    note: (text) => write(`${clear}${text}\n`),
    end() {
      if (state !== undefined) write(`${clear}${describe(state)}\n`)
      state = undefined
    },
  }
}

function describe({ items, total, spent, balance }: ProgressState): string {
  const count = (number: number) => number.toLocaleString('en')
  const read = total === undefined ? count(items) : `${count(items)} of ${count(total)}`
  const left = balance === undefined ? '' : `, ${count(balance)} left`
  const plural = (number: number) => (number === 1 ? '' : 's')
  return `${read} item${plural(total ?? items)} read, ${count(spent)} credit${plural(spent)} spent${left}`
}
