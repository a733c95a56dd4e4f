import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };
const SYSTEM = { apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' };

describe('two hubs that have one cluster in their kubeconfigs by mistake', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let east: SimulatedCluster;
  const hubs: RunningUp[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-two-hubs-'));
    fleet = await startSimulatedFleet({ clusters: ['east'] });
    east = fleet.cluster('east');
    await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
    vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
    return () => vi.unstubAllEnvs();
  });
  afterAll(async () => {
    for (const hub of hubs) await hub.kill();
    await fleet?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function start(id: string): Promise<RunningUp> {
    const hub = runUp(['--kubeconfig', join(folder, 'kubeconfig')], {
      FLOTILLA_CONTENT_DIR: join(folder, id),
      FLOTILLA_HUB_ID: id,
    });
    hubs.push(hub);
    await hub.running();
    return hub;
  }
  const url = ({ said }: RunningUp) => /Health (\S+)\/healthz/.exec(said.out)?.[1] ?? '';
  const owners = async (hub: RunningUp) => {
    const health = (await (await fetch(`${url(hub)}/healthz`)).json()) as {
      details: Record<string, { status: string; detail: string }>;
    };
    return health.details['owners']?.detail;
  };
  /** Returns the reasons in the services' log for leaving the cluster alone. */
  const warned = ({ said }: RunningUp): unknown[] =>
    said.err.split('\n').flatMap((line) => {
      const [, because] = /^\{.*"because":("hub (?:[^"\\]|\\.)*")/.exec(line) ?? [];
      return because === undefined ? [] : [JSON.parse(because)];
    });
  /** Work for a hub: the status of an OperatorGroup. */
  const addNamespace = (name: string) => {
    east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    east.create({ ...GROUP, metadata: { name: 'own', namespace: name }, spec: {} });
  };
  const statusIn = (namespace: string) => east.get({ ...GROUP, namespace, name: 'own' })?.['status'];

  it('the second writes nothing, and says which hub has it and what to do; a take-over has the first one stop', async () => {
    const one = await start('one');
    addNamespace('first');
    await expect.poll(() => statusIn('first'), PATIENCE).toBeDefined();
    expect(east.get(SYSTEM)?.metadata.annotations).toMatchObject({ 'flotilla.dev/hub': 'one' });
    expect(await owners(one)).toBe('no cluster belongs to another hub');

    const two = await start('two');
    const kubeconfig = join(folder, 'kubeconfig');
    const takeOver = `clusters take-over east --kubeconfig ${kubeconfig} --context east --hub-id`;
    const refused = `hub one manages the cluster (annotation flotilla.dev/hub of namespace kube-system), and this hub is two. Nothing is written. If that hub is gone or must stop: "flotilla ${takeOver} two"`;
    const [, command = ''] = /WARNING: hub one manages the cluster .*: "flotilla (.+)"$/m.exec(two.said.out) ?? [];
    expect(two.said.out).toContain('left alone');
    await expect.poll(() => owners(two), PATIENCE).toBe(`east: ${refused}`);
    expect(await (await fetch(`${url(two)}/metrics`)).text()).toMatch(
      /^flotilla_cluster_of_another_hub\{cluster="east"\} 1$/m,
    );

    // Word for word: kubectl has another context, and not this file.
    const words = command.split(' ');
    expect(command).toBe(`${takeOver} two`);
    await expect.poll(() => warned(two), PATIENCE).toEqual([refused]);
    const taken = await runFlotilla(words);
    expect(taken).toMatchObject({ exit: 0, out: 'cluster east is managed by hub two from now on (before: one)\n' });
    await expect
      .poll(() => owners(one), PATIENCE)
      .toMatch(new RegExp(`^east: hub two manages the cluster .* ${takeOver} one"$`));
    await expect.poll(() => warned(one), PATIENCE).toEqual([expect.stringContaining(`"flotilla ${takeOver} one"`)]);
    expect(await runFlotilla(['clusters', 'take-over', 'east', '--hub-id', 'two'])).toMatchObject({
      exit: 0,
      out: 'cluster east is already managed by hub two\n',
    });

    await two.end('SIGTERM');
    addNamespace('second');
    // A hub of that name, made anew without anything of the first, goes on.
    const again = await start('two');
    await expect.poll(() => statusIn('second'), PATIENCE).toBeDefined();
    expect(await owners(again)).toBe('no cluster belongs to another hub');
  });
});
