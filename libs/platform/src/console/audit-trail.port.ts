import { z } from 'zod';
import { cutText } from '#core/kernel/text/cut-text';

/**
 * Cuts a text to a number of characters: people that sign in, or are refused, write some of these texts.
 */
const bounded = (most: number) => z.string().transform((text) => cutText(text, most));
/** `CLUSTER/NAMESPACE/NAME`, each as long as the API server takes it. */
const LONGEST_TARGET = 600;

/** A sign-in, a sign-out or a refusal of a person. Holds no key, token or cookie. */
export const TrailEntry = z.strictObject({
  at: z.string(),
  event: z.enum(['sign-in', 'sign-in-refused', 'sign-out', 'refused']),
  /** Empty: no person is known. */
  person: bounded(200),
  address: bounded(100),
  /** The refused verb, as `approve`; empty: a sign-in. */
  verb: bounded(100),
  /** `CLUSTER/NAMESPACE/NAME` each, the first of them. */
  targets: z.array(bounded(LONGEST_TARGET)),
  /** Number of targets in addition to those. */
  more: z.int(),
  because: bounded(300),
});
export type TrailEntry = z.infer<typeof TrailEntry>;

/** Targets of an entry that are kept. */
export const MOST_TRAIL_TARGETS = 20;
/** Most entries kept of people. The audit log is the lasting record. */
export const MOST_TRAIL_ENTRIES = 1_000;
/**
 * Most entries kept of sign-ins without a person. Anyone can have these refused, so they push out no other
 * entry.
 */
export const MOST_NAMELESS_ENTRIES = 200;

/** The last sign-ins and refusals, of all replicas of the console. */
export type AuditTrail = Readonly<{
  add(entry: TrailEntry): Promise<void>;
  /** The newest first. */
  read(): Promise<readonly TrailEntry[]>;
}>;
