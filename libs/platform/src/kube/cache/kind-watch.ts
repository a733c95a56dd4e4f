import type { Reflector } from './reflector.js';

/** Where the objects of one kind come from: a watch, or the cache of another role of this process. */
export type KindWatch = Pick<
  Reflector,
  'start' | 'stop' | 'synced' | 'whenSynced' | 'served' | 'lastSeen' | 'problem' | 'list' | 'metadata' | 'get'
>;
