/**
 * Field managers of the services. They never use OLM's own names. So managed fields show the writes of a real
 * OLM in the cluster (decision 0101).
 */
export const POLLER = 'flotilla-poller';
export const APPLIER = 'flotilla-applier';
/**
 * Manager of the fields that the fleet sets on an object. Its drift can be distinguished from the applier's
 * own writes.
 */
export const FLEET = 'flotilla-fleet';
/** Manager of the fields that people set with the `flotilla` command. */
export const COMMAND = 'flotilla';
