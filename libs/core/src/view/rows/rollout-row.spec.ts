import { expect, it } from 'vitest';
import { FleetRollout } from '../../kernel/api/fleet/fleet-rollout.js';
import { fleetRolloutRow } from './rollout-row.js';

const rowWith = (
  conditions: readonly object[],
  classes: readonly object[] = [],
  name?: string,
  kind = 'FleetOperator',
) => {
  const rollout = FleetRollout.parse({
    ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetRollout' },
    metadata: { name: 'kafka-1', namespace: 'platform' },
    spec: {
      ...{ subject: { kind, name: 'kafka' }, number: 1, trigger: 'CatalogChange' },
      ...{ target: { bundle: 'kafka.v2' }, strategy: { waves: [] } },
    },
    status: { phase: 'Progressing', reason: 'Planned', conditions, classes },
  });
  const beside = { packageOf: () => name, decisions: undefined, paths: undefined, isNewest: true, changed: 0 };
  return fleetRolloutRow(rollout, { ...beside, gatesOf: () => [] });
};
const condition = (status: string) => ({ type: 'TargetWithdrawn', status, reason: 'NotOffered', message: '' });

it.each<[string, readonly object[], true | undefined]>([
  ['that its target was withdrawn', [condition('True')], true],
  ['nothing of it where clusters are led to the target again', [condition('False')], undefined],
  ['nothing of it where it never was', [], undefined],
])('says of a rollout %s', (_what, conditions, withdrawn) => {
  expect(rowWith(conditions)?.withdrawn).toBe(withdrawn);
});

it('has the kinds of change of each class that waits', () => {
  const classes = [
    { hash: '3f9c', clusters: 2, changes: ['Minor', 'CRDChange'], approval: 'Waiting' },
    { hash: '77ab', clusters: 1, changes: ['Patch'], approval: 'Approved' },
  ];
  expect(rowWith([], classes)?.classes).toEqual([{ hash: '3f9c', clusters: 2, changes: ['Minor', 'CRDChange'] }]);
});

it.each([
  ['a FleetOperator', 'FleetOperator', 'kafka', true],
  ['a FleetOperator that is gone', 'FleetOperator', undefined, undefined],
  ['a FleetCatalog', 'FleetCatalog', 'kafka', undefined],
])('knows the only package of a rollout of %s: %s, %s', (_what, kind, name, known) => {
  expect(rowWith([], [], name, kind)?.packageKnown).toBe(known);
});
