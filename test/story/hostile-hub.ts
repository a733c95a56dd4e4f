import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { AttackName } from '#testing/hostile/attacks';
import { startHostileCluster } from '#testing/hostile/hostile-cluster';
import { PATIENCE } from '#testing/patience';
import type { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { startQuickEnvironment } from './quick-environment.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };

/** A hub with the clusters `east` and `west`. The API server of `west` can be made hostile. */
export type HostileHub = Readonly<{
  east: KubeClient;
  west: KubeClient;
  /** Poller and applier: the services that read from clusters. */
  observers: readonly ServiceProcess[];
  /** From now on `west` does this; undefined: it is well behaved. */
  attack(name: AttackName | undefined): void;
  /** The texts of the check `budgets` of poller and applier. */
  budgets(): Promise<readonly string[]>;
  stop(): Promise<void>;
}>;

export async function setHostileHub(settings: Readonly<Record<string, string>>): Promise<HostileHub> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-hostile-'));
  const endings: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true, maxRetries: 5 })];
  const stop = async () => {
    for (const end of endings.splice(0).toReversed()) await end();
  };
  try {
    const fleet = await startSimulatedFleet({ clusters: ['east'] });
    endings.push(() => fleet.stop());
    const hostile = await startHostileCluster('west');
    endings.push(() => hostile.stop());
    const kubeconfigs = [join(folder, 'east'), join(folder, 'west')];
    await writeFile(join(folder, 'east'), fleet.kubeconfig(), { mode: 0o600 });
    await writeFile(join(folder, 'west'), hostile.kubeconfig, { mode: 0o600 });
    const environment = await startQuickEnvironment({
      kubeconfigs,
      settings: { FLOTILLA_RESYNC_INTERVAL: '2s', ...settings },
    });
    endings.push(() => environment.stop());
    await Promise.all(environment.clients.map(serveCrds));
    const [east, west] = environment.clients;
    if (east === undefined || west === undefined) throw new Error('the hub does not have both clusters');
    const observers = environment.services.filter(({ service }) => service !== 'resolver-worker');
    const attack = (name: AttackName | undefined) => hostile.attack(name);
    return { east, west, observers, attack, budgets: () => budgetsOf(observers), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const budgetsOf = (services: readonly ServiceProcess[]): Promise<readonly string[]> =>
  Promise.all(
    services.map(async (service) => {
      const { details } = (await (await fetch(`${await service.url()}/readyz`)).json()) as {
        details: Record<string, { detail: string }>;
      };
      return details['budgets']?.detail ?? '';
    }),
  );

/** A namespace with an OperatorGroup for the hub to act on. */
export async function makeGroup(client: KubeClient, namespace: string): Promise<void> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await client.create({ ...GROUP, metadata: { name: 'group', namespace }, spec: {} });
}

export async function isActedOn(client: KubeClient, namespace: string): Promise<boolean> {
  const group = await client.get({ ...GROUP, name: 'group', namespace });
  return JSON.stringify(group?.['status'] ?? {}).includes('lastUpdated');
}

/** Expects the hub to act on a new namespace of the cluster. */
export async function expectActsOn(client: KubeClient, namespace: string, patience = PATIENCE): Promise<void> {
  await makeGroup(client, namespace);
  await vi.waitFor(async () => expect(await isActedOn(client, namespace), namespace).toBe(true), patience);
}
