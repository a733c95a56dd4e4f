import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountToken } from '#core/cluster/membership/account-token';
import { issueToken } from '#testing/cluster/issue-token';
import { Refusal } from '#testing/cluster/objects/refusal';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { ManualClock } from '../clock/manual-clock.js';
import { type ClusterAccess, parseKubeconfig } from '../kube/access/kubeconfig.js';
import { loadClusters } from '../kube/access/load-clusters.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { silentLog } from '../telemetry/log.port.js';
import { LoginRenewals } from './login-renewals.js';
import { loginStore, OtherLogin, type StoreLogin } from './stored-logins.js';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const RBAC = 'rbac.authorization.k8s.io';

let folder = '';
let file = '';
let fleet: SimulatedFleet;
let clock: ManualClock;
let renewals: LoginRenewals;
/** Access that a process uses: that of the file, as the registry reads it again. */
let used: { access: ClusterAccess; client: KubeClient };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-renewals-'));
  file = join(folder, 'kubeconfig');
  clock = new ManualClock('2026-01-01T00:00:00Z');
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  const east = fleet.cluster('east');
  east.keepTime(() => clock.now());
  east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'access' } });
  const metadata = { name: 'poller', namespace: 'access' };
  east.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  const rules = [
    { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['poller'], verbs: ['create'] },
  ];
  east.create({ apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules });
  east.create({
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'Role', name: 'poller' },
    subjects: [{ kind: 'ServiceAccount', ...metadata }],
  });
  const token = await issueToken(east, 'access', 'poller');
  await writeFile(file, `# ours\n${fleet.kubeconfig().replace(/token: .*/, `token: "${token}"`)}`, { mode: 0o644 });
  await take();
  const store = loginStore(undefined);
  renewals = new LoginRenewals({
    logins: () => new Map([['east', used]]),
    store: async (access, next) => {
      await store(access, next);
      await take();
    },
    clock,
    log: silentLog,
  });
  renewals.start();
});
afterEach(async () => {
  await renewals.stop();
  await used.client.close();
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function take(): Promise<void> {
  const access = parseKubeconfig(file, await readFile(file, 'utf8')).access('east');
  const [client] = await loadClusters({ access: [access], fieldManager: 'test' });
  if (client === undefined) throw new Error('no client');
  used = { access, client };
}
const tokenOf = () => used.access.user.token ?? '';
const isAccepted = () =>
  used.client.requestToken({ namespace: 'access', name: 'poller', seconds: 600 }).then(
    () => true,
    () => false,
  );
async function storeBy(store: StoreLogin): Promise<void> {
  await renewals.stop();
  renewals = new LoginRenewals({ logins: () => new Map([['east', used]]), store, clock, log: silentLog });
  renewals.start();
}
/** Moves on in steps, each with time for the requests that it starts. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= MINUTE) {
    await clock.advance(Math.min(left, MINUTE));
    await renewals.settled();
  }
}

it('is renewed over ten lifetimes, with the API server away in between', async () => {
  const tokens = new Set([tokenOf()]);
  const east = fleet.cluster('east');
  for (let lifetime = 0; lifetime < 10; lifetime++) {
    const { expiresAt = 0 } = accountToken(tokenOf()) ?? {};
    const leftMs = () => expiresAt - clock.now().getTime();
    await pass(leftMs() - 31 * MINUTE);
    expect(tokens).toContain(tokenOf());
    // From before it is due until shortly before it ends.
    const back = east.failAll({}, new Refusal(503, 'ServiceUnavailable', 'away'));
    await pass(leftMs() - 4 * MINUTE);
    expect(renewals.troubleOf('east')).toMatch(/^the login ends at 2026-\S+ and could not be renewed: /);
    back();
    await pass(3 * MINUTE);
    expect(renewals.troubleOf('east')).toBeUndefined();
    expect(tokens).not.toContain(tokenOf());
    tokens.add(tokenOf());
  }
  await clock.advance(5 * MINUTE);
  expect(await isAccepted()).toBe(true);
  expect(clock.now().getTime()).toBeGreaterThan(Date.parse('2026-01-01T00:00:00Z') + 9 * HOUR);
});

it('cannot be renewed once it has ended, and is not used up by the tries', async () => {
  const back = fleet.cluster('east').failAll({}, new Refusal(503, 'ServiceUnavailable', 'away'));
  await pass(61 * MINUTE);
  back();
  await pass(16 * MINUTE);
  expect(renewals.troubleOf('east')).toMatch(/its login in the kubeconfig is not accepted or has expired: renew it$/);
});

it('keeps the lifetime, the rest of the file, and the file to its owner', async () => {
  await pass(35 * MINUTE);
  const { issuedAt = 0, expiresAt = 0 } = accountToken(tokenOf()) ?? {};
  expect([issuedAt >= Date.parse('2026-01-01T00:30:00Z'), expiresAt - issuedAt]).toEqual([true, HOUR]);
  expect(await readFile(file, 'utf8')).toMatch(/^# ours\n/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

it('says why it could not be renewed, and shows no token', async () => {
  fleet.cluster('east').delete({ apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', name: 'poller', namespace: 'access' });
  await pass(35 * MINUTE);
  const { degraded, detail, up } = await renewals.check.check();
  expect({ degraded, up }).toEqual({ degraded: true, up: true });
  expect(detail).toMatch(/^east: the login ends at 2026-01-01T01:00:00.000Z and could not be renewed: .* is forbidden/);
  expect(detail).not.toContain(tokenOf());
});

it('is not written over a login that people put there meanwhile', async () => {
  const before = used;
  await writeFile(file, (await readFile(file, 'utf8')).replace(/token: .*/, 'token: other'));
  await expect(loginStore(undefined)(before.access, 'next')).rejects.toThrow(/does not have the token that is in use/);
  expect(await readFile(file, 'utf8')).toContain('token: other');
});

it('is renewed once while a stored login has not come to this process yet', async () => {
  let stored = 0;
  await storeBy(async () => {
    stored += 1;
  });
  await pass(33 * MINUTE);
  expect(stored).toBe(1);
  expect(renewals.troubleOf('east')).toBeUndefined();
  await pass(3 * MINUTE);
  expect(stored).toBe(2);
});

it('says that another program writes the earlier login back, until the new one stays', async () => {
  const earlier = used;
  await pass(31 * MINUTE);
  const next = used;
  expect(next.access.user.token).not.toBe(earlier.access.user.token);
  let stored = 0;
  await storeBy(async () => {
    stored += 1;
    used = next;
  });
  for (let back = 0; back < 10; back += 1) {
    used = earlier;
    await pass(MINUTE);
  }
  expect(stored).toBeLessThan(4);
  used = earlier;
  await pass(MINUTE);
  expect(renewals.troubleOf('east')).toMatch(
    /^the new login was stored, but the earlier one is in use again: another program writes the Secret or file\. /,
  );
  expect((await renewals.check.check()).degraded).toBe(true);
  used = next;
  await pass(MINUTE);
  expect(renewals.troubleOf('east')).toBeUndefined();
});

it('waits for the login that another service has stored, and says so if it does not come', async () => {
  let tries = 0;
  await storeBy(() => {
    tries += 1;
    return Promise.reject(new OtherLogin('the Secret does not have the token'));
  });
  await pass(33 * MINUTE);
  expect([tries, renewals.troubleOf('east')]).toEqual([1, undefined]);
  await pass(3 * MINUTE);
  expect(renewals.troubleOf('east')).toMatch(/could not be renewed: the Secret does not have the token$/);
});

it('is not renewed twice at once, and a hub that stops ends what has not begun', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { promise, reject } = Promise.withResolvers<void>();
  await storeBy((_access, _token, signal) => {
    signals.push(signal);
    signal?.addEventListener('abort', () => reject(signal.reason));
    return promise;
  });
  await clock.advance(31 * MINUTE);
  await expect.poll(() => signals.length).toBe(1);
  for (let left = 20; left > 0; left -= 1) await clock.advance(MINUTE);
  await isAccepted();
  expect(signals).toHaveLength(1);
  await renewals.stop();
  expect(signals[0]?.aborted).toBe(true);
  expect(renewals.troubleOf('east')).toBeUndefined();
});

it('does not hold up a hub that stops while an API server does not answer with a token', async () => {
  const { client } = used;
  const { promise, resolve } = Promise.withResolvers<string>();
  let stores = 0;
  let isAsked = false;
  await storeBy(async () => {
    stores += 1;
  });
  used = {
    ...used,
    client: Object.create(client, {
      requestToken: {
        value: () => {
          isAsked = true;
          return promise;
        },
      },
    }),
  };
  await clock.advance(31 * MINUTE);
  await expect.poll(() => isAsked).toBe(true);
  await renewals.stop();
  resolve('late');
  await renewals.settled();
  used = { ...used, client };
  expect(stores).toBe(0);
});

it('is not renewed if another tool wrote it', async () => {
  const token = tokenOf();
  used = { ...used, access: { ...used.access, isRenewedByOthers: true } };
  await pass(55 * MINUTE);
  expect(tokenOf()).toBe(token);
  expect(renewals.troubleOf('east')).toBeUndefined();
  expect(renewals.counts()).toEqual({ endless: 0, bounded: 0, others: 1 });
});

it('counts logins that never end', () => {
  const claims = Buffer.from(JSON.stringify({ sub: 'system:serviceaccount:access:poller' })).toString('base64url');
  const { access, client } = used;
  expect(renewals.counts()).toEqual({ endless: 0, bounded: 1, others: 0 });
  used = { client, access: { ...access, user: { token: `e30.${claims}.x` } } };
  expect(renewals.counts()).toEqual({ endless: 1, bounded: 0, others: 0 });
  used = { client, access: { ...access, user: {} } };
  expect(renewals.counts()).toEqual({ endless: 0, bounded: 0, others: 1 });
});
