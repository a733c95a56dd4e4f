import { z } from 'zod';

/** Kinds of changes on the page Changes. */
export const HISTORY_KINDS = ['version', 'standing', 'digest', 'approval', 'decision', 'membership'] as const;

/** One change that the hub saw in the fleet. */
export const HistoryEntry = z.strictObject({
  at: z.string().max(40),
  kind: z.enum(HISTORY_KINDS),
  cluster: z.string().max(1_000),
  /** The id of the row that changed. */
  row: z.string().max(1_200),
  namespace: z.string().max(253),
  package: z.string().max(253),
  from: z.string().max(200),
  to: z.string().max(200),
  /** A person, a field manager, or `hub`. */
  by: z.string().max(200),
  comment: z.string().max(500),
  /** The hash of an approved plan when it waited. Absent in entries of an earlier release. */
  hash: z.string().max(200).optional(),
});

export type HistoryEntry = z.infer<typeof HistoryEntry>;
