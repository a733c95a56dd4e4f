import type { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { PassReader } from './pass-reader.js';

/** What performs and reads in one round of a pass. */
export type RoundInput = Readonly<{
  client: KubeClient;
  /** Further reads of this pass, shared by its stages and rounds. */
  reader: PassReader;
  now: Date;
  signal: AbortSignal;
  /** For work that goes on when the pass has ended. */
  patience: Patience;
  /** The change that what is done is part of, where it is known: Events name it. */
  change?: string | undefined;
}>;

/** What every stage of a pass gets: the subject as just read, and the cluster to act on. */
export type StageInput<R> = RoundInput & Readonly<{ read: R }>;

/** What is awaited, and after which pause the subject is reconciled again even if no event comes. */
export type Wait = Readonly<{ waitsFor?: string | undefined; againAfterMs?: number | undefined }>;

/**
 * What a stage did. `moved`: something was written, so what was read is old and the next round reads anew.
 */
export type StageOutcome = Wait & Readonly<{ moved: boolean }>;

/** One kind of work within a pass; what it reads beside `R` it reads itself. */
export type Stage<R> = (input: StageInput<R>) => Promise<StageOutcome>;

export const AT_REST: StageOutcome = { moved: false };
export const MOVED: StageOutcome = { moved: true };

/** Nothing more can be done before the pause has passed, or an event has come. */
export const waitFor = (waitsFor: string, againAfterMs?: number): StageOutcome => ({
  moved: false,
  waitsFor,
  againAfterMs,
});

/** As {@link waitFor}; at rest where there is no pause. */
export const pauseFor = (waitsFor: string, againAfterMs: number | undefined): StageOutcome =>
  againAfterMs === undefined ? AT_REST : waitFor(waitsFor, againAfterMs);

/** The wait that ends first; one that only an event ends comes last. */
export function soonest(a: Wait, b: Wait): Wait {
  if (a.waitsFor === undefined && a.againAfterMs === undefined) return waitOf(b);
  return waitOf((b.againAfterMs ?? Infinity) < (a.againAfterMs ?? Infinity) ? b : a);
}

const waitOf = ({ waitsFor, againAfterMs }: Wait): Wait => ({ waitsFor, againAfterMs });

/** What several steps of one stage, or several stages, did together. */
export const joined = (a: StageOutcome, b: StageOutcome): StageOutcome => ({
  moved: a.moved || b.moved,
  ...soonest(a, b),
});
