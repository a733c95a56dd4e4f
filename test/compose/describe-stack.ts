import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE, LONG_PATIENCE_MS, PATIENCE } from '#testing/patience';
import type { ScenarioStep } from '../../apps/cli/src/commands/demo/scenario.js';
import { playStory } from '../story/play-story.js';
import { type ComposeFixture, replaceFile } from './compose-fixture.js';
import { type Container, linesOf, nameOf, serviceOf } from './compose-stack.js';
import { confinementOf, peakMemory } from './confinement.js';
import { reachOf } from './reach.js';
import { secondLogin } from './second-login.js';
import { timeToInstall } from './time-to-install.js';

const Items = z.looseObject({ items: z.array(z.looseObject({ package: z.string() })) });
const NAMES = ['applier-1', 'catalog-poller-1', 'console-1', 'redis-1', 'resolver-worker-1', 'resolver-worker-2'];
const MIB = 2 ** 20;
const MEMORY_MIB: Readonly<Record<string, number>> = { 'catalog-poller': 2_048, console: 512 };

/**
 * docker-compose.yml, from `up` to `down`. The tests follow each other: each begins where the one before it
 * ended.
 */
export function describeStack(fixture: () => ComposeFixture): void {
  const stack = () => fixture().stack;
  const client = (index: number): KubeClient => {
    const found = fixture().clients[index];
    if (found === undefined) throw new Error(`there is no cluster ${index}`);
    return found;
  };
  const token = randomBytes(24).toString('hex');
  const table: string[] = [];
  const note = (line: string) => table.push(line);
  const seconds = (value: number) => `${value.toFixed(1)} s`;

  const isUp = (container: Container) =>
    container.State.Status === 'running' && container.State.Health?.Status === 'healthy';
  /** Once every container runs and is healthy, the names of all. */
  const allHealthy = () =>
    expect
      .poll(async () => (await stack().containers()).filter((one) => !isUp(one)).map(nameOf), LONG_PATIENCE)
      .toEqual([]);
  const named = (name: string) => stack().container(name);

  async function killed(...names: string[]): Promise<void> {
    const before = await Promise.all(names.map(named));
    await Promise.all(before.map((container) => stack().killHard(container)));
    for (const { Id, State } of before) {
      const restarted = async () => (await stack().containers()).find((one) => one.Id === Id)?.State;
      await expect
        .poll(async () => {
          const now = await restarted();
          return now?.Status === 'running' && now.StartedAt !== State.StartedAt;
        }, LONG_PATIENCE)
        .toBe(true);
    }
  }

  /** Volumes of the whole engine: a volume without a name has no label of the project. */
  const unusedVolumes = async () =>
    linesOf(await stack().docker('volume', 'ls', '--quiet', '--filter', 'dangling=true')).toSorted();
  let unusedBefore: readonly string[] = [];

  it('`up --wait` returns once all are healthy', async () => {
    unusedBefore = await unusedVolumes();
    const { entry } = await fixture().open(0);
    await fixture().writeKubeconfig([entry]);
    await replaceFile(join(fixture().folder, 'http-tokens'), `test ${token} *\n`);
    const since = performance.now();
    await stack().compose('up', '--detach', '--wait', '--no-build');
    note(`up --wait: ${seconds((performance.now() - since) / 1_000)}`);
    const containers = await stack().containers();
    expect(containers.map(nameOf)).toEqual(NAMES);
    expect(containers.filter((container) => !isUp(container))).toEqual([]);
  });

  it('installs and upgrades the samples, though applier, resolvers and Redis are killed on the way', async () => {
    const kills: Partial<Record<ScenarioStep, string[]>> = {
      'first-plan': ['applier-1'],
      'catalog-updated': ['catalog-poller-1'],
      'first-hop': ['redis-1', 'resolver-worker-1', 'resolver-worker-2', 'applier-1'],
    };
    const since = performance.now();
    const onStep = (step: ScenarioStep) => killed(...(kills[step] ?? []));
    await playStory(fixture().environmentOf(0), { onStep, patienceMs: LONG_PATIENCE_MS });
    note(`install and two upgrades, with six kills: ${seconds((performance.now() - since) / 1_000)}`);
    await allHealthy();
  });

  it.each(NAMES)('%s killed with SIGKILL comes back, and work goes on', async (name) => {
    await killed(name);
    note(
      `${name} killed; an operator asked for then runs after ${seconds(await timeToInstall([client(0)], `after-${name}`))}`,
    );
    await allHealthy();
  });

  it('the console answers at its link, with the operators of the cluster', async () => {
    const link = await stack().exec(await named('console-1'), 'flotilla', 'console', 'link');
    const [, origin = '', key = ''] = /^(\S+)\/#key=(\S+)/.exec(link) ?? [];
    expect(origin).toBe(`http://127.0.0.1:${stack().settings['FLOTILLA_CONSOLE_PORT']}`);
    expect(await (await fetch(origin)).text()).toContain('<title>Flotilla');
    const names = async () => {
      const answer = await fetch(`${origin}/api/v1/operators?standing=well`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return Items.parse(await answer.json()).items.map((one) => one.package);
    };
    await expect.poll(names, LONG_PATIENCE).toEqual(expect.arrayContaining(['harbor-operator', 'lighthouse-operator']));
  });

  it('each container reaches what it needs, and the resolver Redis alone', async () => {
    const reached: Record<string, readonly string[]> = {};
    // A server of a busy machine may answer too late: it is tried again. What was reached once counts.
    const tried = async () => {
      for (const container of await stack().containers()) {
        const name = nameOf(container);
        reached[name] = [...new Set([...(reached[name] ?? []), ...(await reachOf(fixture(), container))])].sort();
      }
      return reached;
    };
    await expect.poll(tried, PATIENCE).toEqual({
      'applier-1': ['catalog-poller', 'machine', 'redis'],
      'catalog-poller-1': ['applier', 'machine', 'redis'],
      'console-1': ['machine', 'redis'],
      'redis-1': ['applier', 'catalog-poller', 'console', 'resolver-worker'],
      'resolver-worker-1': ['redis'],
      'resolver-worker-2': ['redis'],
    });
    for (const [name, reaches] of Object.entries(reached)) note(`${name} reaches ${reaches.join(', ')}`);
  });

  it('each container has a read-only root, a user without rights, and bounds', async () => {
    for (const container of await stack().containers()) {
      const confined = await confinementOf(stack(), container);
      const name = nameOf(container);
      expect(confined, name).toMatchObject({
        user: serviceOf(container) === 'redis' ? '999:1000' : '1000:1000',
        capabilities: '0000000000000000',
        bounding: '0000000000000000',
        noNewPrivileges: true,
        seccomp: '2',
        memoryLimit: (MEMORY_MIB[serviceOf(container)] ?? 1_024) * MIB,
        processLimit: 256,
      });
      const writes = linesOf(confined.writeToRoot);
      expect(writes.length, name).toBeGreaterThanOrEqual(3);
      expect(writes.filter((line) => !/read-only file system/i.test(line))).toEqual([]);
      expect(container.HostConfig.SecurityOpt).toEqual(['no-new-privileges:true']);
    }
  });

  it('takes a kubeconfig up that changes: another address and another login', async () => {
    const first = await fixture().open(0);
    const moved = { ...first.entry, user: await secondLogin(client(0)) };
    const asked = first.proxy.connections();
    await fixture().writeKubeconfig([moved]);
    await expect.poll(() => first.proxy.connections(), LONG_PATIENCE).toBeGreaterThan(asked + 1);
    note(
      `kubeconfig changed; an operator asked for then runs after ${seconds(await timeToInstall([client(0)], 'after-change'))}`,
    );
  });

  it('a cluster that is added joins, and gets the samples', async () => {
    const entries = [await fixture().open(0), await fixture().open(1)].map(({ entry }) => entry);
    await fixture().writeKubeconfig(entries);
    const since = performance.now();
    await playStory(fixture().environmentOf(1), {
      catalogImage: 'second/catalog:latest',
      patienceMs: LONG_PATIENCE_MS,
    });
    note(`second cluster added; install and two upgrades there: ${seconds((performance.now() - since) / 1_000)}`);
  });

  it('scales to four resolvers, two pollers and two appliers, which share the clusters', async () => {
    Object.assign(stack().settings, {
      FLOTILLA_CATALOG_POLLER_PORT: process.env['FLOTILLA_TEST_POLLER_PORTS'] || '28080-28099',
      FLOTILLA_APPLIER_PORT: process.env['FLOTILLA_TEST_APPLIER_PORTS'] || '28100-28119',
    });
    const scale = ['resolver-worker=4', 'catalog-poller=2', 'applier=2'].flatMap((one) => ['--scale', one]);
    const since = performance.now();
    await stack().compose('up', '--detach', '--wait', '--no-build', ...scale);
    note(`scaled to 4 resolvers, 2 pollers, 2 appliers: ${seconds((performance.now() - since) / 1_000)}`);
    expect(await stack().containers()).toHaveLength(10);
    note(
      `10 containers; an operator asked for then runs in both clusters after ${seconds(await timeToInstall(fixture().clients, 'after-scaling'))}`,
    );
  });

  it('every poller answers for every cluster, whichever works for it', async () => {
    const ports = await publishedPorts('catalog-poller', 8080);
    expect(ports).toHaveLength(2);
    for (const port of ports) {
      for (const { cluster } of fixture().clients) {
        const path = `clusters/${cluster}/apis/packages.operators.coreos.com/v1/namespaces/olm/packagemanifests`;
        const packages = () =>
          fetch(`http://127.0.0.1:${port}/${path}`, { headers: { Authorization: `Bearer ${token}` } })
            .then((answer) => answer.text())
            .then((text) =>
              [...text.matchAll(/"kind":"PackageManifest","metadata":\{"name":"([^"]+)"/g)].map(([, name]) => name),
            );
        await expect.poll(packages, LONG_PATIENCE).toEqual(['harbor-operator', 'lighthouse-operator']);
      }
    }
  });

  it.each([
    ['catalog-poller-2', 'applier-1'],
    ['catalog-poller-1', 'applier-2'],
  ])('%s and %s killed: the others take their clusters', async (...names) => {
    await killed(...names);
    const took = await timeToInstall(fixture().clients, `after-${names.join('-')}`);
    note(`${names.join(' and ')} killed; an operator asked for then runs in both clusters after ${seconds(took)}`);
    await allHealthy();
  });

  it('stays well below its bounds of memory', async () => {
    for (const container of await stack().containers()) {
      const peak = await peakMemory(stack(), container);
      note(`${nameOf(container)}: at most ${Math.round(peak / MIB)} MiB of ${container.HostConfig.Memory / MIB} MiB`);
      expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(0.75 * container.HostConfig.Memory);
      expect(container.State.OOMKilled).toBe(false);
    }
  });

  it('`down` leaves content and key for the next `up`, and with --volumes nothing', async () => {
    await stack().compose('down', '--timeout', '30');
    const volumes = [
      ...['applier-content', 'console-key', 'hub-key', 'poller-content', 'proof-keys'],
      ...['redis-applier', 'redis-console', 'redis-poller', 'redis-resolver'],
    ];
    const expected = volumes.map((name) => `${stack().project}_${name}`);
    expect(await stack().remains()).toEqual({ containers: [], networks: [], volumes: expected });
    await stack().compose('down', '--volumes');
    expect(await stack().remains()).toEqual({ containers: [], networks: [], volumes: [] });
    expect(await unusedVolumes()).toEqual(unusedBefore);
    console.log(table.join('\n'));
  });

  async function publishedPorts(service: string, port: number): Promise<string[]> {
    const containers = (await stack().containers()).filter((container) => serviceOf(container) === service);
    const lines = await Promise.all(containers.map(({ Id }) => stack().docker('port', Id, String(port))));
    return lines.map((line) => line.trim().split(':').at(-1) ?? '');
  }
}
