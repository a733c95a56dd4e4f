import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { awaitedObject } from './awaited-object.js';
import { objectSighting } from './motion/object-sighting.js';
import type { Seen } from './seen-objects.js';

const NAME = 'harbor-operator.v1.1.0';
const object = (kind: string, name: string, rest: object): KubernetesObject => ({
  ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind, metadata: { name }, ...rest },
});
const catalog = (lastObservedState?: string) =>
  object('CatalogSource', 'samples', lastObservedState ? { status: { connectionState: { lastObservedState } } } : {});
const subscription = (status: object = {}) =>
  object('Subscription', 'harbors', { spec: { name: 'harbor-operator' }, status });
const plan = (phase: string) =>
  object('InstallPlan', 'install-1', { spec: { clusterServiceVersionNames: [NAME] }, status: { phase } });
const csv = (phase: string, name = NAME) => object('ClusterServiceVersion', name, { status: { phase } });
const seen = (...objects: readonly KubernetesObject[]): Seen => {
  const of = <T>(kind: string) => objects.filter((one) => one.kind === kind) as unknown as readonly T[];
  return {
    ...{ catalogs: of('CatalogSource'), subscriptions: of('Subscription') },
    ...{ plans: of('InstallPlan'), csvs: of('ClusterServiceVersion') },
  };
};
const ready = catalog('READY');

describe('the object that a demo waits for', () => {
  it.each<[string, Seen, string | undefined]>([
    ['nothing is there', seen(), 'the CatalogSource'],
    ['the catalog says nothing', seen(catalog(), subscription()), 'CatalogSource samples (no status yet)'],
    ['the catalog connects', seen(catalog('CONNECTING')), 'CatalogSource samples (CONNECTING)'],
    ['no Subscription', seen(ready), 'the Subscription to harbor-operator'],
    ['not resolved', seen(ready, subscription()), 'Subscription to harbor-operator (no status yet)'],
    [
      'no plan yet',
      seen(ready, subscription({ state: 'UpgradeAvailable' })),
      'Subscription to harbor-operator (UpgradeAvailable)',
    ],
    ['the plan runs', seen(ready, subscription(), plan('Installing')), 'InstallPlan install-1 (Installing)'],
    ['no CSV yet', seen(ready, subscription({ state: 'X' }), plan('Complete')), 'Subscription to harbor-operator (X)'],
    [
      'the CSV installs',
      seen(ready, plan('Complete'), csv('Installing')),
      `ClusterServiceVersion ${NAME} (Installing)`,
    ],
    [
      'the predecessor is there',
      seen(ready, csv('Succeeded'), csv('Replacing', 'harbor-operator.v1.0.0')),
      'ClusterServiceVersion harbor-operator.v1.0.0 (Replacing)',
    ],
    [
      'the Subscription lags',
      seen(ready, csv('Succeeded'), subscription({ state: 'UpgradePending' })),
      'Subscription to harbor-operator (UpgradePending)',
    ],
    ['all is done', seen(ready, csv('Succeeded'), subscription({ installedCSV: NAME })), undefined],
  ])('is named: %s', (_, now, expected) => {
    expect(awaitedObject(now, 'harbor-operator', 'v1.1.0')).toBe(expected);
  });

  it('has a state without times, with what became of steps and requirements', () => {
    const conditions = [{ type: 'Installed', status: 'False', reason: 'Wait', lastTransitionTime: '2026-01-01' }];
    const steps = [{ status: 'Created' }, { status: 'Unknown' }, { status: 'Created' }];
    const running = object('InstallPlan', 'install-1', {
      spec: { approved: true },
      status: { phase: 'Installing', conditions, plan: steps, startTime: '2026-01-01' },
    });
    expect(objectSighting('west', running)).toEqual({
      name: 'west: InstallPlan install-1',
      state: 'Installing Installed=False/Wait 1 Unknown 2 Created approved',
    });
    expect(objectSighting('west', catalog()).state).toBe('no status yet');
  });
});
