import { describe, expect, it } from 'vitest';
import { AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { CATALOG_ANNOTATION, desiredCatalog } from '#core/rollout/desired/desired-classic';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { orderPlace } from '../place/order-place.fixture.js';
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
function servers(refuse: readonly string[] = [], there: KubernetesObject | null = live) {
  const log: string[] = [];
  const kept: KubernetesObject[] = [];
  const write = (what: string) => async () => {
    if (refuse.includes(what)) throw new KubeApiError('lab', 0, 'Unreachable', 'it is away');
    log.push(`cluster ${what}`);
  };
  const hub = {
    get: async ({ kind, name }: ObjectRef) =>
      kind === 'FleetCatalog' ? catalog : kept.find(({ metadata }) => metadata.name === name),
    create: async (object: KubernetesObject) => {
      log.push(`hub ${object.kind} ${object.metadata.name}`);
      kept.push(object);
    },
  };
  const client = { cluster: 'lab', get: async () => there ?? undefined, patch: write('patch'), apply: write('apply') };
  const place = orderPlace({ hub: hub as unknown as KubeClient, client: client as unknown as KubeClient });
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

describe('clusters in which a digest of a catalog changes more than its FleetPlan shows', () => {
  const preview = { ...row, order: 'Preview' as const, attempt: 0 };
  const holding = (spec: object): KubernetesObject => ({ ...live, spec: { sourceType: 'grpc', ...spec } });
  const OLD = `registry.example/ringed@sha256:${'b'.repeat(64)}`;
  const older = holding({ image: OLD, priority: 7 });
  const oldest = holding({ image: OLD.replace('bbb', 'ccc'), priority: 7 });
  const otherPriority = holding({ image: OLD, priority: 3 });

  /** Reports of clusters one after the other; the hub keeps what the first one shows. */
  async function reported(...clusters: readonly (KubernetesObject | undefined)[]) {
    const first = servers();
    const reports = [];
    for (const there of clusters) {
      const { place } = servers([], there ?? null);
      const { finding } = await carryOutCatalog({ ...first.place, cluster: place.cluster }, preview, undefined);
      reports.push(finding.differences);
    }
    return { reports, kept: first.kept, place: first.place };
  }

  it('are a class of their own, with a FleetPlan of its own', async () => {
    const { reports, kept } = await reported(older, otherPriority, oldest, otherPriority);
    const [same, wider, alsoSame, again] = reports;
    expect([same, alsoSame]).toEqual([undefined, undefined]);
    expect(wider).toMatch(/^[0-9a-f]/);
    expect(again).toBe(wider);
    expect(kept.map(({ metadata }) => metadata.name)).toEqual([
      `catalog-ringed-3-${planHash.slice(0, 12)}`,
      `catalog-ringed-3-${wider?.slice(0, 12)}`,
    ]);
    expect(JSON.stringify(kept[1]?.['spec'])).toContain('spec.priority');
  });

  it('are found where the first cluster has no such catalog, and where another one gets it new', async () => {
    expect((await reported(undefined, older, otherPriority)).reports).toEqual([
      undefined,
      undefined,
      expect.any(String),
    ]);
    expect((await reported(older, undefined)).reports).toEqual([undefined, expect.any(String)]);
    expect((await reported(otherPriority, older)).reports).toEqual([undefined, undefined]);
  });

  it('get nothing before that was approved', async () => {
    const { place, reports } = await reported(older, otherPriority);
    const { log, place: there } = servers([], otherPriority);
    const asked = { ...place, cluster: there.cluster };
    expect(await carryOutCatalog(asked, row, undefined)).toMatchObject({
      finding: { state: 'Refused', reason: 'PlanChanged', differences: reports[1] },
    });
    expect(log).toEqual([]);
    const target = { ...row.target, bundle: DIGEST, hops: [], differences: reports[1] };
    const approved = AssignmentRow.parse({ ...row, target });
    expect(await carryOutCatalog(asked, approved, undefined)).toMatchObject({ finding: { state: 'Running' } });
    expect(log).toEqual(['cluster patch', 'cluster apply']);
  });
});
