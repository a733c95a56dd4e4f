import { expect, it } from 'vitest';
import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { upToDateText } from './cluster-target.js';

const NEW = 'kafka-operator.v2.4.0';

it.each([
  { bundle: NEW, text: `had ${NEW} already` },
  { bundle: 'kafka-operator.v2.5.0', text: `has kafka-operator.v2.5.0, which is newer than ${NEW}` },
])('a cluster with $bundle $text', ({ bundle, text }) => {
  const cluster = { report: () => ({ bundle }) };
  const fleet = { clusters: new Map([['lab-1', cluster]]), ownTargets: { isOwn: () => false } };
  const rollout = {
    record: { spec: { name: 'platform/kafka-1', subject: 'FleetOperator/platform/kafka', target: NEW } },
  };
  const row = { cluster: 'lab-1', phase: 'Done', reason: 'UpToDate', attempt: 1 };
  const played = [fleet, rollout, row] as unknown as [LiveFleet, LiveRollout, RolloutRow];
  expect(upToDateText(...played)).toBe(text);
});
