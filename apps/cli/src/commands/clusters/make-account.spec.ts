import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { accountToken, lifetimeOf } from '#core/cluster/membership/account-token';
import { joinedClusters } from '#platform/clusters/joined-clusters';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const HOUR_MS = 3_600_000;
const BINDING = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' };

let folder = '';
let file = '';
let fleet: SimulatedFleet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-account-'));
  file = join(folder, 'clusters.yaml');
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  await writeFile(join(folder, 'administrator'), fleet.kubeconfig(), { mode: 0o600 });
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', '');
  vi.stubEnv('FLOTILLA_CLUSTERS_FILE', file);
  return () => vi.unstubAllEnvs();
});

const add = (...more: string[]) =>
  runFlotilla(['clusters', 'add', '--kubeconfig', join(folder, 'administrator'), '--make-account', ...more]);
const bound = () =>
  ['observe', 'apply', 'apply-listed'].filter(
    (role) => fleet.cluster('east').get({ ...BINDING, name: `flotilla-access:hub:${role}` }) !== undefined,
  );

describe('flotilla clusters add --make-account', () => {
  it('with --dry-run makes no account', async () => {
    expect(await add('--dry-run')).toMatchObject({ out: `cluster east would be added to ${file}\n`, exit: 0 });
    expect(bound()).toEqual([]);
  });

  it('takes a token that ends as the login, readable by its owner alone', async () => {
    const { err, exit } = await add('--lifetime', '2h');
    expect(err).toContain('east: ServiceAccount flotilla-access/hub is the login of the hub, which renews its token\n');
    expect(exit).toBe(0);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [joined] = await joinedClusters(file);
    expect(Object.keys(joined?.user ?? {})).toEqual(['token']);
    const account = accountToken(joined?.user.token ?? '');
    expect(account).toMatchObject({ namespace: 'flotilla-access', name: 'hub' });
    expect(account && lifetimeOf(account)).toBe(2 * HOUR_MS);
    expect(bound()).toEqual(['observe', 'apply']);
  });

  it('gives the hub every right that it needs, and that of its next token', async () => {
    const { out, exit } = await runFlotilla(['clusters', 'check']);
    expect(out).toContain('  poller: has every right of ClusterRole flotilla:observe\n');
    expect(out).toContain('  applier: has every right of ClusterRole flotilla:apply\n');
    expect(out).toMatch(/ {2}login: ends at \S+ unless the hub renews it\n/);
    expect(exit).toBe(0);
  });

  it('with --listed-kinds and --update replaces the role, and a check names the role that is there', async () => {
    expect((await add('--listed-kinds', '--update')).exit).toBe(0);
    expect(bound()).toEqual(['observe', 'apply-listed']);
    const { out, exit } = await runFlotilla(['clusters', 'check']);
    expect(out).toContain(
      '  applier: has every right of ClusterRole flotilla:apply-listed; kinds that it does not list are refused\n',
    );
    expect(exit).toBe(0);
  });

  it('with --observe gives no right to write', async () => {
    expect((await add('--observe', '--update')).exit).toBe(0);
    expect(bound()).toEqual(['observe']);
  });

  it.each([
    { args: ['--lifetime', '9m'], says: 'invalid --lifetime "9m": expected a duration of 10m or more, such as 168h' },
    { args: ['--lifetime', 'soon'], says: 'invalid --lifetime "soon"' },
  ])('refuses $args', async ({ args, says }) => {
    expect(await add(...args)).toMatchObject({ exit: 2, err: expect.stringContaining(says) });
  });

  it('does not take --listed-kinds without an account', async () => {
    const answer = await runFlotilla(['clusters', 'add', '--listed-kinds']);
    expect(answer).toMatchObject({ exit: 2, err: expect.stringContaining('--listed-kinds is for the account') });
  });
});
