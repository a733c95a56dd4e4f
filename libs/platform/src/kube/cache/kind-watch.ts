import type { Reflector } from './reflector.js';

/** The source of the objects of one kind: a watch, or the cache of another role of this process. */
export type KindWatch = Pick<
  Reflector,
  'start' | 'stop' | 'synced' | 'whenSynced' | 'served' | 'lastSeen' | 'problem' | 'list' | 'metadata' | 'get'
>;
