import { z } from 'zod';
import * as pattern from './field-patterns.js';
import { FLEET_API, Name, NamespacedMetadata, Subdomain, Text, Time, withRules } from './fleet-fields.js';
import { CHANGES, ChangeKind } from './fleet-strategy.js';

/** Actions that a user can decide about a rollout. */
export const ACTIONS = [
  ...(['Approve', 'Reject', 'Pause', 'Resume', 'Promote', 'Retry', 'Skip', 'Abort', 'Rollback'] as const),
  'BreakGlass',
] as const;
export type DecisionAction = (typeof ACTIONS)[number];

const MOST_CLUSTERS = 100;

const Label = z.string().min(1).max(63).regex(pattern.WORD, 'must be one word of printable ASCII');

const FleetDecisionSpec = withRules(
  z.strictObject({
    rollout: Subdomain,
    action: z.enum(ACTIONS),
    class: Label.optional(),
    /** The kinds of change that the class was shown with: with more, the approval has no effect. */
    changes: z.array(ChangeKind).max(CHANGES.length).optional(),
    wave: Label.optional(),
    clusters: z.array(Subdomain).max(MOST_CLUSTERS).optional(),
    reason: Text.min(3).regex(/\S/, 'must say something'),
    by: z.strictObject({ user: Name, groups: z.array(Name).max(256).default([]) }),
    expiresAt: Time.optional(),
  }),
  { rule: 'self == oldSelf', message: 'a decision is immutable' },
  {
    rule: "!(self.action in ['Approve', 'Reject']) || has(self.class)",
    message: 'Approve and Reject need a class',
  },
  {
    rule: "(self.action == 'BreakGlass') == has(self.expiresAt)",
    message: 'BreakGlass needs expiresAt, and no other action has it',
  },
);

/** Fields of the status of a FleetDecision. */
export const FleetDecisionStatus = z.looseObject({
  effective: z.boolean(),
  reason: Name,
  message: Text.optional(),
  at: Time,
});

/** A decision of a user, with name, time and reason. The API server checks it, and it never changes later. */
export const FleetDecision = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetDecision'),
  metadata: NamespacedMetadata,
  spec: FleetDecisionSpec,
  status: z.unknown().optional(),
});
export type FleetDecision = z.infer<typeof FleetDecision>;
