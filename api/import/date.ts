/** The first and the last second of the years 1 to 9999: clients' dates hold no others. Unix seconds. */
const earliest = -62_135_596_800
const latest = 253_402_300_799

/** Whether a number of Unix seconds is a date that every client can hold. */
export function isDate(seconds: number): boolean {
  return Number.isSafeInteger(seconds) && seconds >= earliest && seconds <= latest
}
