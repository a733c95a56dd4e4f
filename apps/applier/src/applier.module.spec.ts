import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLIER } from '#core/kernel/actions/field-managers';
import { clustersModule } from '#platform/clusters/clusters.module';
import { managedClusters } from '#platform/clusters/managed-clusters';
import { ownLogins } from '#platform/clusters/own-logins';
import { ownShards } from '#platform/clusters/own-shards';
import { openFleetHub } from '#platform/fleet/open-fleet-hub';
import type { Hub } from '#platform/hub/hub';
import { documentedChecks, startTestedService } from '#platform/service/service-module.fixture';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
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

  it('names no context of its kubeconfigs, since there it may lead people to another cluster', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-contexts-'));
    onTestFinished(() => rm(folder, { recursive: true, maxRetries: 5 }));
    const names = ['east', 'west'];
    const files = names.map((name) => join(folder, name));
    for (const [at, file] of files.entries()) {
      const name = names[at] ?? '';
      const fleet = await startSimulatedFleet({ clusters: [name] });
      onTestFinished(() => fleet.stop());
      fleet.cluster(name).edit({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' }, ({ metadata }) => {
        metadata.annotations = { 'flotilla.dev/hub': 'other' };
      });
      await writeFile(file, fleet.kubeconfig(), { mode: 0o600 });
    }
    const service = await start({ FLOTILLA_KUBECONFIG: files.join(':') });
    const health = () => service.app.inject({ url: '/healthz' }).then(({ body }) => body);
    for (const cluster of names)
      await expect
        .poll(health, PATIENCE)
        .toContain(`flotilla clusters take-over ${cluster} --kubeconfig FILE --hub-id`);
    expect(await health()).not.toContain('--context');
  });

  it('ends its work before it gives its clusters to others', async () => {
    const service = await start();
    await service.stop();
    expect(service.ended.at(-1)).toBe('leases');
    expect(new Set(service.ended)).toEqual(new Set(['work', 'leases']));
  });
});
