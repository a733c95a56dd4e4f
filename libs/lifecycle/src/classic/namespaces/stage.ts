import type { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/kube-client.port';
import type { PassReader } from '../../engine/pass-reader.js';
import type { NamespaceRead } from './namespace-read.js';

/** What every stage of a pass gets: the namespace as just read, and the cluster to act on. */
export type StageInput = Readonly<{
  client: KubeClient;
  read: NamespaceRead;
  /** Further live reads of this round, shared by its stages. */
  reader: PassReader;
  now: Date;
  signal: AbortSignal;
  /** For work that goes on when the pass has ended. */
  patience: Patience;
}>;

/**
 * What a stage did. `moved`: something was written, so what was read is old and the pass starts over with a fresh read.
 * `againAfterMs`: nothing more can be done now, but look again after this pause even if no event comes.
 */
export type StageOutcome = Readonly<{ moved: boolean; againAfterMs?: number | undefined }>;

export type Stage = (input: StageInput) => Promise<StageOutcome>;

export const AT_REST: StageOutcome = { moved: false };
export const MOVED: StageOutcome = { moved: true };

/** The sooner of two pauses; absent means "no need". */
export function sooner(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** What several steps of one stage did together. */
export const joined = (a: StageOutcome, b: StageOutcome): StageOutcome => ({
  moved: a.moved || b.moved,
  againAfterMs: sooner(a.againAfterMs, b.againAfterMs),
});
