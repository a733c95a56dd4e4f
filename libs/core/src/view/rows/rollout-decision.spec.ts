import { expect, it } from 'vitest';
import type { FleetDecision } from '../../kernel/api/fleet/fleet-decision.js';
import { decisionsByRollout } from './rollout-decision.js';

const outcomeOf = (status: object) => {
  const spec = { rollout: 'kafka-1', action: 'Retry', reason: 'CHG-7', by: { user: 'anna', groups: [] } };
  const decision = { metadata: { name: 'd', namespace: 'platform' }, spec, status } as unknown as FleetDecision;
  return decisionsByRollout([decision]).get('platform/kafka-1')?.[0]?.outcome;
};

it.each<[object, string]>([
  [{}, ''],
  [{ effective: true, reason: 'Effective' }, 'effective'],
  [{ effective: false, reason: 'NotApplicable' }, 'not applicable'],
  [{ effective: false, reason: 'NotApplicable', message: 'kafka.v2 was withdrawn' }, 'kafka.v2 was withdrawn'],
])('says what became of a decision with status %j', (status, outcome) => {
  expect(outcomeOf(status)).toBe(outcome);
});
