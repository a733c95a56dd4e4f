import { z } from 'zod';

/** Decisions that pages offer. */
const OFFERED_ACTIONS = ['Approve', 'Pause', 'Resume', 'Promote', 'Retry', 'Abort', 'Rollback'] as const;
export const OfferedAction = z.enum(OFFERED_ACTIONS);
export type OfferedAction = z.infer<typeof OfferedAction>;

/** `GET /api/v1/rollouts/ID/decider`: the decisions about a rollout that the person may make here. */
export const DeciderAnswer = z.strictObject({
  /** True if the hub API knows the person by the token of their sign-in. */
  here: z.boolean(),
  /** The person's name in the hub API. Empty: not known. */
  by: z.string(),
  may: z.array(OfferedAction),
  /** The plan classes that they may approve, if `may` has `Approve`. */
  classes: z.array(z.string()),
  /** Explains `here: false`. Empty: this console is not connected to a hub API. */
  because: z.string(),
});

/** `POST /api/v1/rollouts/ID/decisions` with the header `Idempotency-Key`. */
export const RolloutDecisionRequest = z.strictObject({
  action: OfferedAction,
  /** A plan class, for `Approve`. */
  class: z.string().min(1).max(63).optional(),
  /** The kinds of change that the page has shown of the class. With more the approval has no effect. */
  changes: z.array(z.string().min(1).max(100)).max(20).optional(),
  /** A wave, for `Promote`. */
  wave: z.string().min(1).max(63).optional(),
  reason: z.string().trim().min(3).max(1_000),
});

export const RolloutDecisionAnswer = z.strictObject({
  outcome: z.enum(['effective', 'no-effect', 'refused', 'unanswered']),
  /** The name of the FleetDecision. Empty if none was made. */
  decision: z.string(),
  by: z.string(),
  /** Explains each outcome but `effective`. */
  message: z.string(),
});

export type DeciderAnswer = z.infer<typeof DeciderAnswer>;
export type RolloutDecisionRequest = z.infer<typeof RolloutDecisionRequest>;
export type RolloutDecisionAnswer = z.infer<typeof RolloutDecisionAnswer>;
