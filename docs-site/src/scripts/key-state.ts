/** Writes what a key has left. */

/** Writes a balance: `9,998 credits`. */
export const writeCredits = (credits: number): string =>
  `${credits.toLocaleString('en')} ${credits === 1 ? 'credit' : 'credits'}`

/** What a balance means for a key of this role. Admin keys don't pay. */
export const writeBalance = (credits: number, role: string | undefined): string =>
  role === 'admin' ? 'An admin key: not charged' : `${writeCredits(credits)} left`
