import { describe, expect, it, onTestFinished } from 'vitest';
import { POLLER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/clusters/clusters.module';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { ownShards } from '#platform/clusters/own-shards';
import { openFleetHub } from '#platform/fleet/open-fleet-hub';
import type { Hub } from '#platform/hub/hub';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { catalogPollerModule } from './catalog-poller.module.js';

const start = async (environment: Readonly<Record<string, string>> = {}) => {
  const modulesOf = async (hub: Hub, ended: (part: string) => void) => {
    const { settings, clock, log } = hub;
    const fleetHub = await openFleetHub(settings, { fieldManager: POLLER });
    const registry = await managedClusters(settings, { fieldManagers: [POLLER], clock, log });
    const shards = ownShards(hub, 'poller', registry.of(POLLER));
    const stop = shards.ownership.stop.bind(shards.ownership);
    shards.ownership.stop = () => stop().finally(() => ended('leases'));
    const { clusters } = shards;
    const renewals = ownLogins(hub, registry, fleetHub, shards);
    return [
      clustersModule({ services: [clusters], probing: clusters, registry, shards, renewals }),
      catalogPollerModule(clusters, { fleetHub }),
    ];
  };
  const service = await startTestedService({ name: 'catalog-poller', environment, modulesOf });
  onTestFinished(() => service.stop());
  return service;
};

describe('the catalog poller', () => {
  it.each([
    ['without a fleet', false, {}],
    ['with a fleet', true, { FLOTILLA_FLEET: 'context:east' }],
  ])('%s has the health checks of the documentation, and no other', async (_, fleet, environment) => {
    expect(await (await start(environment)).checks()).toEqual(await documentedChecks('poller', { fleet }));
  });

  it('ends its work before it gives its clusters to others', async () => {
    const service = await start();
    await service.stop();
    expect(service.ended.at(-1)).toBe('leases');
    expect(new Set(service.ended)).toEqual(new Set(['work', 'leases']));
  });
});
