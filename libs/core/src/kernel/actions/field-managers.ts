/**
 * Field managers of the services. They never use OLM's own names, so that managed fields show what a real OLM
 * in the cluster wrote (decision 0102).
 */
export const POLLER = 'flotilla-poller';
export const APPLIER = 'flotilla-applier';
/** What the fleet wants of an object: its drift can be distinguished from the applier's own writes. */
export const FLEET = 'flotilla-fleet';
