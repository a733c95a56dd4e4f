import { describe, expect, it } from 'vitest';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { UsedCatalog } from './catalog-problem.js';
import { operatorProblem } from './operator-problem.js';

const catalog = (name: string, spec: UsedCatalog['spec']) =>
  [`p/${name}`, { metadata: { name, namespace: 'p' }, spec }] as const;
const CATALOGS = new Map([
  catalog('c', { promotion: 'WithOperators', catalogSource: { name: 'c' } }),
  catalog('v1', { promotion: 'WithOperators', clusterCatalog: { name: 'c' } }),
  catalog('ringed', { promotion: 'Staged', catalogSource: { name: 'c' }, clusterCatalog: { name: 'c' } }),
]);

const said = (spec: object): string => {
  const operator = FleetOperator.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetOperator',
    metadata: { name: 'kafka', namespace: 'p' },
    spec: { package: 'kafka', namespace: 'k', catalog: { name: 'c' }, ...spec },
  });
  const found = operatorProblem(operator, { strategies: new Set(['p/s', 'q/other']), catalogs: CATALOGS });
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
};

describe('what keeps rollouts of a FleetOperator from beginning', () => {
  it.each<[object, string | RegExp]>([
    [{}, ''],
    [{ strategyRef: { name: 's' }, catalog: { fleetCatalog: 'c' } }, ''],
    [
      { strategyRef: { name: 'gone' } },
      'StrategyMissing: there is no FleetStrategy p/gone: no rollout begins until it exists',
    ],
    // A strategy of another namespace is none.
    [{ strategyRef: { name: 'other' } }, /^StrategyMissing: there is no FleetStrategy p\/other/],
    [{ catalog: { fleetCatalog: 'gone' } }, /^CatalogMissing: there is no FleetCatalog p\/gone/],
    [{ catalog: { fleetCatalog: 'ringed' } }, ''],
    [{ catalog: { fleetCatalog: 'v1' }, api: 'V1' }, ''],
    [
      { catalog: { fleetCatalog: 'ringed' }, api: 'V1' },
      'CatalogStaged: FleetCatalog p/ringed has promotion: Staged, which is for api: Classic alone: name a FleetCatalog with promotion: WithOperators',
    ],
    [
      { catalog: { fleetCatalog: 'c' }, api: 'V1' },
      'CatalogUnusable: FleetCatalog p/c has no clusterCatalog, which api: V1 needs: add one',
    ],
    [
      { catalog: { fleetCatalog: 'v1' } },
      'CatalogUnusable: FleetCatalog p/v1 has no catalogSource, which api: Classic needs: add one',
    ],
    [{ clusters: { expression: 'cluster.labels[' } }, /^SelectorInvalid: spec.clusters selects no cluster: ./],
    [
      {
        overrides: [
          { clusters: {}, channel: 'a' },
          { clusters: { expression: 'cluster.' }, channel: 'b' },
        ],
      },
      /^SelectorInvalid: spec.overrides\[1\].clusters selects no cluster: ./,
    ],
    [
      { clusters: { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } } },
      /^SelectorInvalid: spec.clusters selects no cluster: ./,
    ],
  ])('%j: %s', (spec, expected) => {
    if (typeof expected === 'string') expect(said(spec)).toBe(expected);
    else expect(said(spec)).toMatch(expected);
    expect(said(spec)).not.toContain('\n');
  });
});
