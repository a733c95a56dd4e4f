import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLIER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/clusters/clusters.module';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { ownShards } from '#platform/clusters/own-shards';
import { openFleetHub } from '#platform/fleet/open-fleet-hub';
import type { Hub } from '#platform/hub/hub';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { applierModule } from './applier.module.js';

const start = async (environment: Readonly<Record<string, string>> = {}) => {
  const modulesOf = async (hub: Hub, ended: (part: string) => void) => {
    const { settings, clock, log } = hub;
    const fleetHub = await openFleetHub(settings, { fieldManager: APPLIER });
    const registry = await managedClusters(settings, { fieldManagers: [APPLIER], clock, log });
    const shards = ownShards(hub, 'applier', registry.of(APPLIER));
    const stop = shards.ownership.stop.bind(shards.ownership);
    shards.ownership.stop = () => stop().finally(() => ended('leases'));
    const { clusters } = shards;
    const renewals = ownLogins(hub, registry, fleetHub, shards);
    return [
      clustersModule({ services: [clusters], probing: clusters, registry, shards, renewals, takes: true }),
      applierModule(clusters, { fleetHub, owns: (cluster) => clusters.owns(cluster) }),
    ];
  };
  const service = await startTestedService({ name: 'applier', environment, modulesOf });
  onTestFinished(() => service.stop());
  return service;
};

describe('the applier', () => {
  it.each([
    ['without a fleet', false, {}],
    ['with a fleet', true, { FLOTILLA_FLEET: 'context:east' }],
  ])('%s has the health checks of the documentation, and no other', async (_, fleet, environment) => {
    expect(await (await start(environment)).checks()).toEqual(await documentedChecks('applier', { fleet }));
  });

  it('ends its work before it gives its clusters to others', async () => {
    const service = await start();
    await service.stop();
    expect(service.ended.at(-1)).toBe('leases');
    expect(new Set(service.ended)).toEqual(new Set(['work', 'leases']));
  });
});
