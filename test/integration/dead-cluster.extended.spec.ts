import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startTcpProxy, type TcpProxy } from '#testing/control-plane/tcp-proxy';
import { PATIENCE, pause } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

/** More namespaces than an applier has places. */
const NAMESPACES = 24;
const RESYNC_MS = 2_000;
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };

describe('a cluster that takes connections and answers nothing', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let proxy: TcpProxy;
  let environment: ServicesEnvironment | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-dead-'));
    fleet = await startSimulatedFleet({ clusters: ['east', 'dead'], deploymentReadyAfterMs: 200 });
    const port = Number(new URL(fleet.cluster('dead').url).port);
    proxy = await startTcpProxy({ host: '127.0.0.1', port });
    const kubeconfig = join(folder, 'kubeconfig');
    const text = fleet.kubeconfig().replace(`:${port}/clusters/dead`, `:${proxy.port}/clusters/dead`);
    await writeFile(kubeconfig, text, { mode: 0o600 });
    environment = await startQuickEnvironment({
      kubeconfigs: [kubeconfig],
      settings: { FLOTILLA_RESYNC_INTERVAL: `${RESYNC_MS}ms` },
    });
  });
  afterAll(async () => {
    proxy.resume();
    await environment?.stop();
    await proxy.stop();
    await fleet.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  function makeNamespace(cluster: string, name: string): void {
    fleet.cluster(cluster).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fleet.cluster(cluster).create({ ...GROUP, metadata: { name: 'group', namespace: name }, spec: {} });
  }

  it('does not hold up the others, however many namespaces it has', async () => {
    const started = environment;
    if (started === undefined) throw new Error('the environment was not started');
    await Promise.all(started.clients.map(serveCrds));
    makeNamespace('east', 'harbors');
    for (let n = 0; n < NAMESPACES; n += 1) makeNamespace('dead', `team-${n}`);
    const dead = fleet.cluster('dead').requests;
    // Some of them are under way, others still to come.
    await expect.poll(() => dead.some(({ path }) => path.includes('/team-2')), PATIENCE).toBe(true);
    proxy.stall();
    await pause(2 * RESYNC_MS);
    makeNamespace('east', 'piers');
    const group = () => fleet.cluster('east').get({ ...GROUP, name: 'group', namespace: 'piers' })?.['status'];
    await expect.poll(group, PATIENCE).toMatchObject({ lastUpdated: expect.any(String) });
  });
});
