import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { AttackName } from '#testing/hostile/attacks';
import { type HostileCluster, startHostileCluster } from '#testing/hostile/hostile-cluster';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import type { Stage } from '../../apps/cli/src/demo/demo-stage.js';
import { setQuickStage } from '../story/quick-stage.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
/** Without bounds each of these attacks takes more than a gibibyte. */
const MOST_MIB = 800;
const RESYNC = '2s';
/** The cluster is tried again after pauses of up to a minute by then, and reported for half a minute more. */
const FITS = '2 of 2 clusters are within their budgets';

/** What poller and applier report about the hostile cluster, if anything, during each attack. */
const ATTACKS: readonly (readonly [AttackName, RegExp | undefined])[] = [
  ['lists with a new continue token on every page', /too large: \w+: more than 20000 objects/],
  ['lists with the same continue token on every page', /too large: \w+: the list does not end/],
  ['lists that never end, fast', /too large: \w+: one answer has more than 32Mi/],
  ['watches that end with 410 at once', undefined],
  ['TLS handshakes of one byte a second', undefined],
  ['watches with one event that never ends', /too large: \w+: one watch event/],
  ['a watch with a flood of ADDED events', /too large: CatalogSource: /],
];

describe('a hub with a cluster whose API server is hostile', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let hostile: HostileCluster | undefined;
  let stage: Stage | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-hostile-'));
    fleet = await startSimulatedFleet({ clusters: ['east'] });
    hostile = await startHostileCluster('west');
    const kubeconfigs = [join(folder, 'east'), join(folder, 'west')];
    await writeFile(join(folder, 'east'), fleet.kubeconfig(), { mode: 0o600 });
    await writeFile(join(folder, 'west'), hostile.kubeconfig, { mode: 0o600 });
    const settings = { FLOTILLA_RESYNC_INTERVAL: RESYNC, FLOTILLA_KUBE_MAX_OBJECTS: '20000' };
    stage = await setQuickStage({ kubeconfigs, settings });
    await Promise.all(stage.clients.map(installMissingCrds));
    for (const client of stage.clients) await makeGroup(client, 'harbors');
  });
  afterAll(async () => {
    await stage?.strike();
    await hostile?.stop();
    await fleet.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function makeGroup(client: KubeClient, namespace: string): Promise<void> {
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await client.create({ ...GROUP, metadata: { name: 'group', namespace }, spec: {} });
  }

  const isActedOn = async (client: KubeClient, namespace: string): Promise<boolean> => {
    const group = await client.get({ ...GROUP, name: 'group', namespace });
    return JSON.stringify(group?.['status'] ?? {}).includes('lastUpdated');
  };

  function running(): Stage {
    if (stage === undefined) throw new Error('the environment was not set up');
    return stage;
  }

  function clientOf(cluster: string): KubeClient {
    const client = running().clients.find((one) => one.cluster === cluster);
    if (client === undefined) throw new Error(`there is no client of ${cluster}`);
    return client;
  }

  const observers = () => running().services.filter(({ service }) => service !== 'resolver-worker');

  /** The check `budgets` of poller and applier. */
  async function budgets(): Promise<readonly string[]> {
    const answers = observers().map(async (service) => {
      const { details } = (await (await fetch(`${await service.url()}/readyz`)).json()) as {
        details: Record<string, { detail: string }>;
      };
      return details['budgets']?.detail ?? '';
    });
    return Promise.all(answers);
  }

  /** Peaks of the memory of poller and applier, in MiB. */
  const peaks = (): Promise<readonly number[]> =>
    Promise.all(
      observers().map(async ({ pid }) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      }),
    );

  it('acts on both clusters while they are well', async () => {
    for (const { cluster } of running().clients) {
      await expect.poll(() => isActedOn(clientOf(cluster), 'harbors'), PATIENCE).toBe(true);
    }
  });

  for (const [index, [name, reported]] of ATTACKS.entries()) {
    it(`names that cluster, and acts on the other: ${name}`, async () => {
      hostile?.attack(name);
      await Promise.all(observers().map((service) => service.stop('SIGKILL')));
      for (const service of observers()) service.start();
      await makeGroup(clientOf('east'), `piers-${index}`);
      await expect.poll(() => isActedOn(clientOf('east'), `piers-${index}`), PATIENCE).toBe(true);
      if (reported !== undefined) {
        await expect.poll(async () => (await budgets()).join('\n'), LONG_PATIENCE).toMatch(reported);
        expect((await budgets()).join('\n')).toContain('cluster west: too large: ');
      }
      for (const peak of await peaks()) expect(peak).toBeLessThan(MOST_MIB);
    });
  }

  it('goes on by itself with a cluster that behaves again, where nothing has gone', async () => {
    hostile?.attack(undefined);
    const west = clientOf('west');
    expect(await isActedOn(west, 'harbors')).toBe(true);
    await makeGroup(west, 'again');
    await expect.poll(() => isActedOn(west, 'again'), LONG_PATIENCE).toBe(true);
    await expect.poll(budgets, LONG_PATIENCE).toEqual([FITS, FITS]);
  });
});
