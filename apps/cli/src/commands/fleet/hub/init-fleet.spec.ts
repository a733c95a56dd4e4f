import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

let folder = '';
let simulated: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-init-'));
  simulated = await startSimulatedFleet({ clusters: ['east', 'hub'] });
  await writeFile(join(folder, 'kubeconfig'), simulated.kubeconfig(), { mode: 0o600 });
  vi.stubEnv('KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('FLOTILLA_FLEET', '');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await simulated.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const init = (...args: readonly string[]) => runFlotilla(['fleet', 'init', ...args]);
const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'flotilla:fleet-approver' };

describe('flotilla fleet init', () => {
  it('with --dry-run says what it would do, and does nothing', async () => {
    const { out, err, exit } = await init('--context', 'hub', '--dry-run');
    expect(exit).toBe(0);
    expect(out).toContain('ClusterRole flotilla:fleet-approver would be created\n');
    expect(err).toBe('Nothing was changed in hub (--dry-run).\n');
    expect(simulated.cluster('hub').get(ROLE)).toBeUndefined();
  });

  it('gives the hub kinds, roles and the check of decisions, and again nothing', async () => {
    const { out, err, exit } = await init('--context', 'hub');
    expect({ err, exit }).toEqual({
      err: 'hub is ready for rollouts: 11 kinds, 7 roles and the check of decisions.\n',
      exit: 0,
    });
    expect(out.trimEnd().split('\n')).toHaveLength(20);
    expect(out).toContain('CustomResourceDefinition fleetrollouts.fleet.flotilla.dev created\n');
    expect(simulated.cluster('hub').get(ROLE)).toBeDefined();
    expect(simulated.cluster('east').get(ROLE)).toBeUndefined();
    const again = await init('--fleet', 'context:hub', '-o', 'json');
    const { objects, verdict } = JSON.parse(again.out) as { verdict: string; objects: { result: string }[] };
    expect(verdict).toBe('yes');
    expect(new Set(objects.map(({ result }) => result))).toEqual(new Set(['unchanged']));
  });

  it('puts right what a user has changed, and names it', async () => {
    simulated.cluster('hub').edit(ROLE, (role) => {
      role['rules'] = [];
    });
    const { out } = await init('--context', 'hub');
    expect(out.split('\n').filter((line) => line !== '' && !line.endsWith(' unchanged'))).toEqual([
      'ClusterRole flotilla:fleet-approver configured',
    ]);
  });

  it.each([
    {
      args: [],
      says: /^error: specify a fleet: name its folder, or the context of its hub, with --fleet, or set FLOTILLA_FLEET/,
    },
    { args: ['--context', 'hob'], says: /^error: the fleet's hub: there is no context "hob"/ },
    { args: ['--fleet', 'dir:fleet'], says: /^error: a fleet in files needs no kinds in an API server/ },
  ])('asks for a hub that can be used: $args', async ({ args, says }) => {
    const { err, exit } = await init(...args);
    expect(err).toMatch(says);
    expect(exit).toBe(2);
  });
});
