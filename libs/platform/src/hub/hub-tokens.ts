/**
 * Injection tokens of the parts that every service uses. {@link HUB} is all of it, for modules that take
 * several parts or pass it on; the other tokens give one part each.
 */
export const HUB = Symbol('hub');
export const SETTINGS = Symbol('settings');
export const LOG = Symbol('log');
export const METRICS = Symbol('metrics');
export const QUEUES = Symbol('queues');
export const CONTENT = Symbol('content store');
export const ACCESS = Symbol('HTTP access');
/** Random numbers from 0 up to 1, for pauses that must differ. */
export const RANDOM = Symbol('random numbers');

/**
 * The managed clusters, with clients that write as the service: each service's module provides its own.
 */
export const CLUSTERS = Symbol('managed clusters of the service');

/** The client of the hub API; only in the module of a service of a hub with a fleet. */
export const FLEET_HUB = Symbol('hub API');

/** The other pollers of the hub; undefined in a process that works for all clusters. */
export const PEERS = Symbol('other pollers');

/** The shards of the fleet that this process works for. Undefined if it works for all clusters. */
export const SHARDS = Symbol('shards of the process');

/** Checks the proofs of the console, in the modules of poller and applier. */
export const PROOFS = Symbol('proofs of the console');
