/**
 * The phase of an instance's life. `waiting`: for the database and its schema. `stopping`: requests are still served, but
 * load balancers should send no more.
 */
export type LifecyclePhase = 'waiting' | 'serving' | 'stopping'
