/** Under these names the services write; never OLM's own, so that a real OLM in the cluster can be told apart (decision 0102). */
export const POLLER = 'flotilla-poller';
export const APPLIER = 'flotilla-applier';
