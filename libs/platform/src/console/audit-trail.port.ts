import { z } from 'zod';

/** Who signed in, signed out or was refused; holds no key, token or cookie. */
export const TrailEntry = z.strictObject({
  at: z.string(),
  event: z.enum(['sign-in', 'sign-in-refused', 'sign-out', 'refused']),
  /** Empty: no person is known. */
  person: z.string(),
  address: z.string(),
  /** What was refused, as `approve`; empty: a sign-in. */
  verb: z.string(),
  /** `CLUSTER/NAMESPACE/NAME` each, the first of them. */
  targets: z.array(z.string()),
  /** How many targets there are beside those. */
  more: z.int(),
  because: z.string(),
});
export type TrailEntry = z.infer<typeof TrailEntry>;

/** Targets of an entry that are kept. */
export const MOST_TRAIL_TARGETS = 20;
/** Entries of people that are kept; what lasts is the audit log. */
export const MOST_TRAIL_ENTRIES = 1_000;
/** Of sign-ins without a person, which anyone can have refused: they push out no other entry. */
export const MOST_NAMELESS_ENTRIES = 200;

/** The last sign-ins and refusals, of all replicas of the console. */
export type AuditTrail = Readonly<{
  add(entry: TrailEntry): Promise<void>;
  /** The newest first. */
  read(): Promise<readonly TrailEntry[]>;
}>;
