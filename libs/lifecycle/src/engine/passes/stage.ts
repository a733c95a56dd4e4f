import type { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { PassReader } from './pass-reader.js';

/** The clients and readers of one round of a pass. */
export type RoundInput = Readonly<{
  client: KubeClient;
  /** Further reads of this pass, shared by its stages and rounds. */
  reader: PassReader;
  now: Date;
  signal: AbortSignal;
  /** Patience for work that continues after the end of the pass. */
  patience: Patience;
  /** The change that the work is part of, if known: Events name it. */
  change?: string | undefined;
}>;

/** Input of every stage of a pass: the subject as just read, and the cluster to act on. */
export type StageInput<R> = RoundInput & Readonly<{ read: R }>;

/**
 * The awaited object or event, and the pause after which the subject is reconciled again even without an
 * event.
 */
export type Wait = Readonly<{ waitsFor?: string | undefined; againAfterMs?: number | undefined }>;

/**
 * The outcome of a stage. `moved`: something was written, so the reads are stale and the next round reads
 * again.
 */
export type StageOutcome = Wait & Readonly<{ moved: boolean }>;

/** One kind of work within a pass. It reads any input beyond `R` itself. */
export type Stage<R> = (input: StageInput<R>) => Promise<StageOutcome>;

export const AT_REST: StageOutcome = { moved: false };
export const MOVED: StageOutcome = { moved: true };

/**
 * Returns an outcome that waits: nothing more can be done before the pause has passed, or an event has come.
 */
export const waitFor = (waitsFor: string, againAfterMs?: number): StageOutcome => ({
  moved: false,
  waitsFor,
  againAfterMs,
});

/** Like {@link waitFor}, but at rest if there is no pause. */
export const pauseFor = (waitsFor: string, againAfterMs: number | undefined): StageOutcome =>
  againAfterMs === undefined ? AT_REST : waitFor(waitsFor, againAfterMs);

/** The wait that ends first; one that only an event ends comes last. */
export function soonest(a: Wait, b: Wait): Wait {
  if (a.waitsFor === undefined && a.againAfterMs === undefined) return waitOf(b);
  return waitOf((b.againAfterMs ?? Infinity) < (a.againAfterMs ?? Infinity) ? b : a);
}

const waitOf = ({ waitsFor, againAfterMs }: Wait): Wait => ({ waitsFor, againAfterMs });

/** Joins the outcomes of several steps of one stage, or of several stages. */
export const joined = (a: StageOutcome, b: StageOutcome): StageOutcome => ({
  moved: a.moved || b.moved,
  ...soonest(a, b),
});
