/** `waiting`: for the database and its schema; `stopping`: what comes is answered still, and nobody should come. */
export type LifecyclePhase = 'waiting' | 'serving' | 'stopping'
