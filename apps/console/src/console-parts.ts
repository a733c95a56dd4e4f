import { publicProofKeys } from '#platform/console/proof/proof-keys';
import type { Hub } from '#platform/hub/hub';
import type { ConsoleParts } from './console.service.js';

/** Returns the parts of a hub that the console needs. */
export const consoleParts = ({ settings, clock, log, metrics, store, key }: Hub): ConsoleParts => ({
  ...{ settings, clock, log, registry: metrics.registry },
  reader: store.viewReader(),
  sender: store.actionSender,
  asker: store.questionAsker,
  sessions: store.sessions,
  trail: store.trail,
  ...(key && { proofKeys: publicProofKeys(key) }),
});
