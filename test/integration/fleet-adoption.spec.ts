import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '#core/kernel/api/catalog-source';
import { SUBSCRIPTION_API, type Subscription } from '#core/kernel/api/subscription';
import { fleetManifests } from '#core/rollout/export/fleet-manifests';
import { changedFields, objectsIn } from '../fleet/changed-fields.js';
import { FleetBench } from './applier-support/fleet-bench.js';
import { LAMPS } from './applier-support/lamp-operator.js';
import { madeCrd, madeDeployment, offer } from './applier-support/made-operator.js';

const CATALOGS = 'catalogsources.operators.coreos.com';
const SUBSCRIPTIONS = 'subscriptions.operators.coreos.com';
const HOURS = 3_600_000;
const DIGEST = `sha256:${'1'.repeat(64)}`;
const FIRST = {
  version: '1.0.0',
  objects: [madeCrd({ kind: 'Lamp', group: 'lamp.example.com' }, [{ name: 'v1', storage: true }])],
  deployments: [madeDeployment('lamp', 'lamp')],
};

describe('clusters with operators that become a fleet', () => {
  let fleet: FleetBench;
  beforeAll(async () => {
    fleet = await FleetBench.start({ 'lab-1': {}, 'lab-2': {} }, LAMPS);
    for (const bench of fleet.benches) {
      bench.namespace(LAMPS);
      await offer(bench, 'lamp', [FIRST]);
      bench.subscribe(LAMPS, 'lamp');
      await bench.installed(LAMPS, 'lamp.v1.0.0');
    }
  });
  afterAll(() => fleet.stop());

  /** Returns the output of `flotilla fleet export --from-clusters`. */
  function exported() {
    const clusters = fleet.benches.map(({ client, cluster }) => ({
      context: client.cluster,
      uid: undefined,
      ...{ globalCatalogNamespace: 'olm', isGlobalNamespaceSet: false, clusterCatalogs: [], extensions: [] },
      catalogSources: cluster.list(CATALOG_SOURCE_API) as unknown as readonly CatalogSource[],
      subscriptions: cluster.list(SUBSCRIPTION_API) as unknown as readonly Subscription[],
    }));
    const { catalogs, operators, strategy } = fleetManifests(clusters, 'platform');
    return [...catalogs, strategy, ...operators];
  }

  it('keep everything but how the Subscription is approved, and where its catalog is', async () => {
    const before = fleet.benches.map(({ cluster }) => objectsIn(cluster));
    for (const { kind, metadata, spec } of exported()) {
      await fleet.apply(kind, metadata.name, spec);
      if (kind === 'FleetCatalog') await fleet.setStatus(kind, metadata.name, { current: DIGEST });
    }
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Progressing', 'the adoption');
    for (let wave = 0; wave < 3; wave++) {
      for (let pass = 0; pass < 6; pass++) await fleet.pass();
      await fleet.clock.advance(25 * HOURS);
    }
    await fleet.until(() => fleet.rollout('lamp-1').phase === 'Completed', 'the end of the adoption');
    expect(fleet.rollout('lamp-1').classes).toMatchObject([{ changes: ['ConfigChange'] }]);
    for (const [at, bench] of fleet.benches.entries()) {
      const after = objectsIn(bench.cluster);
      const [catalog, subscription] = [`${CATALOGS} olm/samples`, `${SUBSCRIPTIONS} ${LAMPS}/lamp`];
      expect(changedFields(before[at] ?? new Map(), after)).toEqual([
        `${catalog}.metadata.annotations`,
        `${catalog}.spec.image`,
        `${subscription}.metadata.annotations`,
        `${subscription}.spec.installPlanApproval`,
      ]);
      const notes = [catalog, subscription].flatMap((key) => Object.keys(after.get(key)?.metadata.annotations ?? {}));
      expect(notes.filter((key) => !key.startsWith('fleet.flotilla.dev/'))).toEqual([]);
      expect(after.get(catalog)?.['spec']).toMatchObject({ image: `example.com/samples@${DIGEST}` });
      expect(after.get(subscription)?.['spec']).toMatchObject({ installPlanApproval: 'Manual' });
    }
  });
});
