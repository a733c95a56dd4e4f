import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { foreignCluster } from '#core/cluster/imports/foreign-cluster';
import { ARGO_TOKEN, argoSecret } from '#core/cluster/imports/foreign-objects.fixture';
import { planImport } from '#core/cluster/imports/plan-import';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { fleetDefinitions, serveKinds } from '#testing/cluster/fleet-definitions';
import { SourceWrites } from './source-writes.js';

const EAST = { apiVersion: FLEET_API, kind: 'FleetCluster', name: 'east' } as const;

/** The poller knows nothing of the FleetCluster: its watch has not brought it yet. */
describe('a FleetCluster that appears in the same moment', () => {
  let hub: DirectCluster;
  beforeEach(async () => {
    hub = directCluster('hub');
    await serveKinds(hub, await fleetDefinitions());
  });
  afterEach(() => hub.stop());

  const wantedBy = (source: string): KubernetesObject => {
    const reading = foreignCluster('ArgoCD', argoSecret(ARGO_TOKEN, { name: 'east' }));
    const [wanted] = planImport({ readings: [reading], existing: [], source }).wanted;
    if (wanted === undefined) throw new Error('nothing is wanted');
    return wanted;
  };
  const applied = () =>
    new SourceWrites({ hub: hub.client, source: 'argo', clock: new ManualClock(), log: silentLog }).apply(
      wantedBy('argo'),
      undefined,
    );

  it.each([
    ['of people', { ...wantedBy('x'), metadata: { name: 'east' }, spec: { access: { context: 'east' } } }],
    ['of another source', wantedBy('other')],
  ])('%s is not taken, and does not count as in step', async (_whose, object) => {
    await hub.client.create(object);
    expect(await applied()).toEqual({ refused: 'FleetCluster "east" was taken by others a moment ago' });
    expect(hub.cluster.get(EAST)).toMatchObject({ spec: object['spec'] });
  });

  it('of the same source, as another poller has made it, is in step', async () => {
    await hub.client.create(wantedBy('argo'));
    expect(await applied()).toBeUndefined();
  });
});
