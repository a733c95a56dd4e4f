import { describe, expect, it } from 'vitest';
import type { OperatorRow } from '../rows/rows.js';
import { operatorChain } from './operator-chain.js';

const AT = '2026-11-25T10:00:00Z';
const row = (more: Partial<OperatorRow>): OperatorRow => ({
  ...{ kind: 'operator', id: 'subscription/bolts/bolt', cluster: 'east', namespace: 'bolts', name: 'bolt' },
  ...{ updatedAt: AT, api: 'classic', package: 'bolt', catalog: 'bolts/gone-catalog', channel: 'stable' },
  ...{ installed: '', version: '', next: '', newest: '', approval: 'Automatic', standing: 'blocked', since: AT },
  ...{ plan: '', planHash: '', deprecated: false, ...more },
});
const causedBy = (code: string, kind: string) => ({ cause: { code, kind, names: ['bolt'], text: '' } });
const stopOf = (one: OperatorRow) => operatorChain(one).find(({ state }) => state === 'stopped')?.link;

describe('the chain of an operator stops where its cause is', () => {
  it.each([
    ['catalog-missing', 'Subscription', 'catalog'],
    ['catalog-excluded', 'Subscription', 'catalog'],
    ['catalog-not-ready', 'CatalogSource', 'catalog'],
    ['resolution-failed', 'Subscription', 'resolution'],
    ['no-operator-group', 'Namespace', 'resolution'],
    ['bundle-not-fetched', 'Subscription', 'plan'],
    ['objects-refused', 'Subscription', 'plan'],
    ['objects-refused', 'ClusterServiceVersion', 'running'],
    ['plan-failed', 'InstallPlan', 'plan'],
    ['fleet-decides', 'InstallPlan', 'approval'],
    ['operator-missing', 'Subscription', 'running'],
    ['requirements-not-met', 'ClusterServiceVersion', 'running'],
  ])('%s of a %s: %s', (code, kind, link) => {
    expect(stopOf(row(causedBy(code, kind)))).toBe(link);
  });

  it('at the catalog that is missing, also while a plan waits', () => {
    expect(stopOf(row({ ...causedBy('catalog-missing', 'Subscription'), planHash: 'hash' }))).toBe('catalog');
  });

  it('marks no link before it as stopped, and none behind it as done', () => {
    const states = operatorChain(row(causedBy('catalog-missing', 'Subscription'))).map(({ state }) => state);
    expect(states).toEqual(['done', 'stopped', 'not-reached', 'not-reached', 'not-reached', 'not-reached']);
  });
});

describe('what runs', () => {
  const failed = { ...causedBy('requirements-not-met', 'ClusterServiceVersion'), standing: 'failed' } as const;
  it.each<[string, Partial<OperatorRow>, string]>([
    ['a healthy operator', { standing: 'well', installed: 'bolt.v1.0.0', version: '1.0.0' }, '1.0.0'],
    ['a version that never ran', { ...failed, installed: 'bolt.v1.0.0', version: '1.0.0' }, '1.0.0 has not succeeded'],
    ['nothing', { ...failed }, 'nothing is installed'],
    [
      'the version before a failed one',
      { ...failed, installed: 'bolt.v2.0.0', version: '2.0.0', stillRuns: 'bolt.v1.0.0' },
      'bolt.v1.0.0 still runs',
    ],
  ])('of %s: %s', (_, more, text) => {
    expect(operatorChain(row(more)).at(-1)?.text).toBe(text);
  });
});
