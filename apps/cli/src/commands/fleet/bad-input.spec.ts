import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';
import { offerAll, type PlayedHub, startPlayedHub } from './played-hub.fixture.js';

const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'fleet.flotilla.dev/v1alpha1',
  kind,
  metadata: { name, ...(kind === 'FleetCluster' || kind === 'FleetWindow' ? {} : { namespace: 'p' }) },
  spec,
});
const operator = (name: string, more: object = {}) =>
  object('FleetOperator', name, {
    package: 'kafka',
    namespace: 'k',
    catalog: { name: 'c', namespace: 'olm' },
    ...more,
  });
const cluster = object('FleetCluster', 'one', { access: { context: 'one' } });
const wave = (more: object) => object('FleetStrategy', 's', { waves: [{ name: 'w', ...more }] });
const window = (schedule: object) =>
  object('FleetWindow', 'w', { type: 'Allow', schedule: { duration: '1h', ...schedule } });

describe('manifests of a fleet that are wrong', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-bad-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  async function run(verb: string, objects: readonly object[]) {
    const file = join(folder, 'fleet.yaml');
    await writeFile(file, objects.map((one) => dump(one)).join('---\n'));
    const { exit, out, err } = await runFlotilla(['fleet', verb, '-f', file]);
    return { exit, out, err: err.replaceAll(file, 'fleet.yaml') };
  }

  it.each([
    ['an unknown field', [operator('a', { pakage: 'x' })], 'spec: unknown field "pakage"'],
    ['a field that is missing', [object('FleetOperator', 'a', { package: 'kafka' })], 'spec.namespace: is missing\n'],
    ['a percentage over 100', [wave({ percent: 101 })], 'spec.waves[0].percent: must be at most 100\n'],
    ['a share that is none', [wave({ maxConcurrent: '101%' })], 'spec.waves[0].maxConcurrent: '],
    [
      'a cron that does not exist',
      [window({ cron: '61 * * * *' })],
      'spec.schedule.cron: "61 * * * *": Invalid value for minute: 61; five fields are expected',
    ],
    [
      'a time zone that does not exist',
      [window({ cron: '0 * * * *', timeZone: 'Mars/Base' })],
      'spec.schedule.timeZone: there is no time zone "Mars/Base"',
    ],
  ])('%s: one line that names file, line and field, for plan and simulate', async (_, objects, says) => {
    for (const verb of ['plan', 'simulate']) {
      const { exit, out, err } = await run(verb, objects);
      expect({ exit, out }).toEqual({ exit: 2, out: '' });
      expect(err.startsWith(`error: fleet.yaml:1: ${says}`), err).toBe(true);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  });

  it('files without any FleetCluster are not taken for selectors that match nothing', async () => {
    const { out, exit } = await run('plan', [operator('a')]);
    expect(out).toContain('note: there is no FleetCluster: nothing will be rolled out\n');
    expect(exit).toBe(1);
  });

  it('selectors that match nothing are named by both', async () => {
    const lost = [operator('a', { clusters: { selector: { matchLabels: { tier: 'nowhere' } } } }), cluster];
    expect((await run('plan', lost)).out).toContain('note: no cluster is selected: nothing will be rolled out\n');
    expect(await run('simulate', lost)).toMatchObject({
      exit: 0,
      err: 'note: p/a: no cluster is selected: nothing will be rolled out\n',
    });
    const failing = [operator('a', { clusters: { expression: "cluster.labels.site == 'west'" } }), cluster];
    const where =
      'nothing will be rolled out: spec.clusters does not select 1 cluster (one), because its expression fails there: No such key: site\n';
    expect((await run('plan', failing)).out).toContain(`note: ${where}`);
    expect(await run('simulate', failing), 'and not that none is selected').toMatchObject({
      err: `note: p/a: ${where}`,
    });
    const lab = { percent: 100, clusters: { selector: { matchLabels: { tier: 'nowhere' } } } };
    const { err } = await run('simulate', [operator('a', { strategyRef: { name: 's' } }), wave(lab), cluster]);
    expect(err).toContain('note: p/a: wave w selects no cluster: it completes at once, without its soak and checks\n');
  });

  it('two operators for one package and namespace: both say which one acts', async () => {
    const older = 'FleetOperator/p/a is older and has kafka in namespace k of 1 of these clusters, too\n';
    expect((await run('plan', [operator('a'), operator('b'), cluster])).out).toContain(`note: ${older}`);
    const { err, exit } = await run('simulate', [operator('a'), operator('b'), cluster]);
    expect(exit, 'as live, it has no rollout').toBe(0);
    expect(err).toContain(`note: p/b: ${older}`);
    expect(err).not.toContain('p/b-1');
  });

  it('a strategy that is not there: simulate refuses, plan says what waits for it', async () => {
    const named = [operator('a', { strategyRef: { name: 'gone' } }), cluster];
    expect(await run('simulate', named)).toMatchObject({
      exit: 2,
      err: 'error: fleet.yaml:1: spec.strategyRef.name: there is no FleetStrategy p/gone\n',
    });
    expect((await run('plan', named)).out).toContain(
      'there is no FleetStrategy p/gone: no rollout begins until it exists',
    );
  });
});

describe('a hub with trouble', () => {
  it('that is away is one line with its address, for every verb', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-away-'));
    const kubeconfig = join(folder, 'kubeconfig');
    const context = { name: 'hub', context: { cluster: 'hub', user: 'u' } };
    const server = { name: 'hub', cluster: { server: 'https://127.0.0.1:1' } };
    await writeFile(
      kubeconfig,
      dump({ clusters: [server], users: [{ name: 'u', user: { token: 't' } }], contexts: [context] }),
    );
    for (const verb of [['status'], ['plan'], ['explain', 'x'], ['windows'], ['pause', 'x', '--reason', 'why']]) {
      const { exit, out, err } = await runFlotilla(['fleet', ...verb, '--fleet', 'hub', '--kubeconfig', kubeconfig]);
      expect({ exit, out }).toEqual({ exit: 3, out: '' });
      expect(err).toMatch(/^error: cluster "hub" at https:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.*\n$/);
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  describe('whose strategy was deleted in use', () => {
    let hub: PlayedHub;
    beforeAll(async () => {
      hub = await startPlayedHub(['lab-1', 'shop-1'], {
        approval: { rules: [{ changes: ['Minor'], action: 'Manual' }] },
      });
      await offerAll(hub);
    });
    afterAll(() => hub.stop());

    it('goes on by the copy that the rollout has, and plan says so of the next one', async () => {
      const ref = {
        apiVersion: 'fleet.flotilla.dev/v1alpha1',
        kind: 'FleetStrategy',
        name: 's',
        namespace: 'platform',
      };
      await hub.fleet.hub.client.delete(ref);
      await hub.fleet.settle();
      expect((await hub.flotilla('status', 'kafka-1')).out).toContain('1 class waits for approval');
      expect((await hub.flotilla('plan', 'kafka')).out).toContain('there is no FleetStrategy platform/s');
    });
  });
});
