import { z } from 'zod';

/** Actions of the applier for the console. There are no others. */
export const ACTION_VERBS = ['approve', 'retry', 'roll-back'] as const;

/**
 * The outcome of an action at one target. `changed-meanwhile`: the object is not the one that was shown, so
 * nothing was done · `unknown`: a write was sent and not answered, or no applier answered.
 */
const ACTION_OUTCOMES = ['pending', 'done', 'changed-meanwhile', 'refused', 'away', 'failed', 'unknown'] as const;

export const ActionTarget = z.strictObject({
  cluster: z.string().min(1).max(1_000),
  namespace: z.string().max(253),
  name: z.string().min(1).max(253),
});

/** Longest reason of an action, in characters. */
export const LONGEST_COMMENT = 500;

/** Most targets of one action. */
export const MOST_TARGETS = 1_000;

/** A command of the console to the applier: identity and conditions, never content. */
export const ConsoleAction = z.strictObject({
  v: z.literal(1),
  id: z.uuid(),
  verb: z.enum(ACTION_VERBS),
  targets: z.array(ActionTarget).min(1).max(MOST_TARGETS),
  /** The hash of the reviewed plan. An InstallPlan with another hash is not approved. */
  planHash: z.string().max(200).optional(),
  /** The revision of a ClusterExtension. */
  revision: z.int().min(1).optional(),
  /** The person, as the sign-in named them. */
  by: z.string().min(1).max(253),
  /** RFC 3339, UTC. */
  at: z.string().max(40),
  /** One line. */
  comment: z.string().max(LONGEST_COMMENT).optional(),
});

export const ActionResult = ActionTarget.extend({ outcome: z.enum(ACTION_OUTCOMES), message: z.string().max(2_000) });

export type ActionTarget = z.infer<typeof ActionTarget>;
export type ConsoleAction = z.infer<typeof ConsoleAction>;
export type ActionResult = z.infer<typeof ActionResult>;

/** The result for one target. */
export type ActionEnd = Pick<ActionResult, 'outcome' | 'message'>;

/** Names a target among those of an action. */
export const targetKey = ({ cluster, namespace, name }: ActionTarget): string => `${cluster}\n${namespace}\n${name}`;

/** Time limit for the beginning of an action, in milliseconds. A later action is not carried out any more. */
export const ACTION_DEADLINE_MS = 30_000;
