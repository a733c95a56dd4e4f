import { describe, expect, it } from 'vitest';
import { Metrics } from './metrics.js';

function made() {
  const metrics = new Metrics({ processMetrics: false });
  const of = async (name: string) =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
  return { metrics, troubles: metrics.troubles, of };
}

describe('troubles of a cluster', () => {
  it('Subscriptions are counted by cluster and reason, with one series however many they are', async () => {
    const { troubles, of } = made();
    for (let n = 0; n < 100; n += 1) troubles.unresolved('east', `apps/${n}`, 'ConstraintsNotSatisfiable');
    troubles.unresolved('east', 'apps/0', 'ErrorPreventedResolution');
    troubles.unresolved('east', 'apps/1', undefined);
    troubles.unresolved('east', 'apps/1', undefined);
    troubles.unresolved('west', 'apps/1', 'what a user wrote');
    expect(await of('flotilla_subscriptions_unresolved')).toEqual([
      'flotilla_subscriptions_unresolved{cluster="east",reason="ConstraintsNotSatisfiable"} 98',
      'flotilla_subscriptions_unresolved{cluster="east",reason="ErrorPreventedResolution"} 1',
      'flotilla_subscriptions_unresolved{cluster="west",reason="other"} 1',
    ]);
  });

  it('catalogs are counted by kind; one that is READY or gone is not', async () => {
    const { metrics, troubles, of } = made();
    metrics.catalogReady('east', 'olm', 'shelf', false);
    metrics.catalogReady('east', 'olm', 'other', true);
    troubles.catalog('east', 'ClusterCatalog', 'shelf', false);
    const series = (sources: number, catalogs: number) => [
      `flotilla_catalogs_not_ready{cluster="east",kind="CatalogSource"} ${sources}`,
      `flotilla_catalogs_not_ready{cluster="east",kind="ClusterCatalog"} ${catalogs}`,
    ];
    expect(await of('flotilla_catalogs_not_ready')).toEqual(series(1, 1));
    metrics.catalogReady('east', 'olm', 'shelf', true);
    troubles.catalogGone('east', 'ClusterCatalog', 'shelf');
    expect(await of('flotilla_catalogs_not_ready')).toEqual(series(0, 0));
  });

  it('go with the cluster, and begin at nothing when it is back', async () => {
    const { metrics, troubles, of } = made();
    for (const cluster of ['east', 'west']) {
      troubles.unresolved(cluster, 'apps/lamp', 'ConstraintsNotSatisfiable');
      troubles.catalog(cluster, 'CatalogSource', 'olm/shelf', false);
      troubles.refused(cluster, 2);
    }
    await metrics.clusterGone('east');
    troubles.unresolved('east', 'apps/lamp', undefined);
    for (const name of [
      'flotilla_subscriptions_unresolved',
      'flotilla_catalogs_not_ready',
      'flotilla_refused_subjects',
    ])
      expect(await of(name), name).toEqual([expect.stringContaining('west')]);
    troubles.catalog('east', 'CatalogSource', 'olm/shelf', false);
    expect(await of('flotilla_catalogs_not_ready')).toContain(
      'flotilla_catalogs_not_ready{cluster="east",kind="CatalogSource"} 1',
    );
  });
});
