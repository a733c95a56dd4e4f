import { z } from 'zod';
import { ACTION_VERBS, ActionResult, ActionTarget, MOST_TARGETS } from '#core/view/actions/console-action';

/**
 * `POST /api/v1/actions` with the header `Idempotency-Key`: 202 and an id; `GET /api/v1/actions/ID` answers
 * the results.
 */
export const ActionRequest = z.strictObject({
  verb: z.enum(ACTION_VERBS),
  targets: z.array(ActionTarget).min(1).max(MOST_TARGETS),
  /** Hash of the reviewed plan; required for `approve`. */
  planHash: z.string().max(200).optional(),
  /** Revision of a ClusterExtension, for `roll-back`. */
  revision: z.int().min(1).optional(),
  comment: z.string().max(500).optional(),
});

export const ActionAnswer = z.strictObject({
  id: z.string(),
  verb: z.enum(ACTION_VERBS),
  by: z.string(),
  at: z.string(),
  results: z.array(ActionResult),
});

/** RFC 9457. */
export const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  /** Stable, as `not-found`. */
  code: z.string(),
  /** The problem in one sentence. */
  detail: z.string(),
  /** The action that solves it. */
  todo: z.string(),
});

/**
 * `GET /api/v1/events`: frames of the stream, as `event: NAME` with JSON data.
 * `rows`: rows that changed, and ids of rows that are gone · `more`: too many changed, read again ·
 * `reset`: all that is shown is old · `action`: results.
 */
export const StreamRows = z.strictObject({
  /** Rows as lists answer them. */
  changed: z.array(z.record(z.string(), z.unknown())).max(500),
  removed: z.array(z.strictObject({ cluster: z.string(), id: z.string() })).max(500),
});

export type { ActionResult, ActionTarget };
export type ActionRequest = z.infer<typeof ActionRequest>;
export type ActionAnswer = z.infer<typeof ActionAnswer>;
export type Problem = z.infer<typeof Problem>;
export type StreamRows = z.infer<typeof StreamRows>;
