import { describe, expect, it } from 'vitest';
import { CATALOG_ANNOTATION, desiredCatalog } from '#core/fleet/desired/desired-classic';
import { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { carryOutCatalog } from './catalog-orders.js';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const IMAGE = `registry.example/ringed@${DIGEST}`;
const globalCatalogNamespace = 'olm';
const catalog = FleetCatalog.parse({
  ...{ apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name: 'ringed', namespace: 'platform' } },
  spec: { image: IMAGE, promotion: 'Staged', catalogSource: { name: 'ringed', priority: 7 } },
});
const wanted = desiredCatalog(catalog, { globalCatalogNamespace });
const planHash = typeof wanted === 'string' ? wanted : canonicalHash({ catalog: wanted.source.spec });
const row = AssignmentRow.parse({
  ...{ subject: 'FleetCatalog/platform/ringed', rollout: 'platform/catalog-ringed-3', order: 'Go', attempt: 1 },
  target: { bundle: DIGEST, planHash },
});
const live: KubernetesObject = {
  ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
  metadata: { name: 'ringed', namespace: 'olm', annotations: { [CATALOG_ANNOTATION]: 'platform/ringed' } },
  spec: { sourceType: 'grpc', image: IMAGE },
};

/** API servers that log what is written there; `refuse`: what the cluster refuses. */
function servers(refuse: readonly string[] = []) {
  const log: string[] = [];
  const kept: KubernetesObject[] = [];
  const write = (what: string) => async () => {
    if (refuse.includes(what)) throw new KubeApiError('lab', 0, 'Unreachable', 'it is away');
    log.push(`cluster ${what}`);
  };
  const hub = {
    get: async ({ kind }: ObjectRef) => (kind === 'FleetCatalog' ? catalog : kept[0]),
    create: async (object: KubernetesObject) => {
      log.push(`hub ${object.kind} ${object.metadata.name}`);
      kept.push(object);
    },
  };
  const client = { cluster: 'lab', get: async () => live, patch: write('patch'), apply: write('apply') };
  const place = { hub: hub as unknown as KubeClient, client: client as unknown as KubeClient, globalCatalogNamespace };
  return { log, kept, place };
}

describe('an order about a Staged FleetCatalog', () => {
  it('keeps what it changes before it changes it', async () => {
    const { log, kept, place } = servers();
    await expect(carryOutCatalog(place, row, undefined)).resolves.toMatchObject({ finding: { state: 'Running' } });
    const name = `catalog-ringed-3-${planHash.slice(0, 12)}`;
    expect(log).toEqual([`hub FleetPlan ${name}`, 'cluster patch', 'cluster apply']);
    expect(kept[0]).toMatchObject({
      spec: { objects: { changed: [expect.stringMatching(/\+ spec\.priority: 7/)] } },
    });
  });

  it('has kept it where the change itself fails', async () => {
    const { kept, place } = servers(['patch']);
    await expect(carryOutCatalog(place, row, undefined)).rejects.toThrow('it is away');
    expect(kept).toHaveLength(1);
  });
});
