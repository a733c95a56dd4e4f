import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { hopHash } from '#core/rollout/review/hop-hash';
import type { ActionResult, ConsoleAction } from '#core/view/actions/console-action';
import { APPROVAL_ANNOTATIONS } from '#core/view/actions/decide-approval';
import { ConsoleActions } from '#lifecycle/fleet/console/console-actions';
import { SystemClock } from '#platform/clock/system-clock';
import { readSettings } from '#platform/config/settings';
import { type ProofIssuer, proofIssuer, proofParts } from '#platform/console/proof/console-proofs.fixture';
import { privateProofKeys } from '#platform/console/proof/proof-keys';
import { RedisUsedProofs } from '#platform/console/proof/redis-used-proofs';
import { RedisActionReceiver, RedisActionSender } from '#platform/console/redis-action-channel';
import { findExecutable } from '#platform/debian/executable';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import { fixedClusters } from '#platform/membership/service-clusters.port';
import { connectRedis } from '#platform/redis/redis-connection';
import { silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { type RedisUser, type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

const hasRedis = ['redis-server', 'valkey-server'].some(
  (name) => findExecutable(name, process.env['PATH'] ?? '') !== undefined,
);
if (!hasRedis) console.log('not tried: a stolen console needs a redis-server on PATH');

const PREFIX = 'flotilla';
const GIVEN = { sub: 'u1' };
const TARGET = { cluster: 'east', namespace: 'lamps', name: 'install-1' };

const waitingPlan = (): InstallPlan =>
  ({
    ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
    metadata: { name: TARGET.name, namespace: TARGET.namespace, resourceVersion: '7' },
    spec: { approval: 'Manual', approved: false, clusterServiceVersionNames: ['lamp.v2.0.0'], generation: 1 },
    status: { phase: 'RequiresApproval', catalogSources: [], plan: [] },
  }) as unknown as InstallPlan;
const SUBSCRIPTION = {
  metadata: { name: 'lamp', namespace: TARGET.namespace },
  spec: { name: 'lamp', source: 'samples', sourceNamespace: 'olm', channel: 'stable' },
  status: { currentCSV: 'lamp.v2.0.0', installPlanRef: { name: TARGET.name, namespace: TARGET.namespace } },
};
const HASH = hopHash(waitingPlan(), [{ subscription: 'lamp', from: null, to: 'lamp.v2.0.0' }], 'olm');

/** A cluster with an InstallPlan that waits for approval. */
function cluster() {
  const patches: object[] = [];
  const client = {
    ...{ cluster: TARGET.cluster, globalCatalogNamespace: 'olm' },
    get: async () => waitingPlan(),
    list: async () => ({ items: [SUBSCRIPTION] }),
    patch: async (_ref: object, patch: object) => void patches.push(patch),
    create: async () => undefined,
  } as unknown as KubeClient;
  return { client, patches };
}

/** S1, S3: an attacker who writes to Redis with the console's password, and the real applier. */
describe.runIf(hasRedis)('who has the password of the console', () => {
  const clock = new SystemClock();
  let redis: ShippedRedis;
  let issuer: ProofIssuer;
  const endings: (() => unknown)[] = [];
  beforeAll(async () => {
    redis = await startShippedRedis({ prefix: PREFIX });
    issuer = await proofIssuer(clock);
  });
  afterAll(async () => {
    for (const end of endings) await end();
    await redis?.stop();
  });

  const as = (user: RedisUser): Redis => {
    const connection = connectRedis(redis.urlOf(user));
    endings.push(() => connection.disconnect());
    return connection;
  };

  let parts: ReturnType<typeof proofParts>;
  let east: ReturnType<typeof cluster>;
  let stolen: Redis;
  let applier: ConsoleActions;
  beforeEach(async () => {
    await applier?.stop();
    stolen ??= as('console');
    await stolen.del(`${PREFIX}:console:actions`);
    parts = proofParts(clock, { issuedBy: issuer, used: usedProofs() });
    applier = start(parts.checker);
  });
  afterAll(() => applier?.stop());

  const usedProofs = () => new RedisUsedProofs({ redis: as('applier'), prefix: PREFIX, clock, reader: 'applier' });

  let warnings: string[] = [];

  /** Starts the part of the applier that carries out decisions of people, as in its process. */
  function start(checker: typeof parts.checker): ConsoleActions {
    east = cluster();
    const said: string[] = [];
    warnings = said;
    const log = { ...silentLog, warn: (_facts: object, text: string) => void said.push(text) };
    const receiver = new RedisActionReceiver({ redis: as('applier'), prefix: PREFIX, clock, log });
    const hub = { clock, log: silentLog, settings: readSettings({}), store: { actionReceiver: () => receiver } };
    const limiter = new ClusterLimiter({ clock, mostAtOnce: () => 2, random: () => 0 });
    const proofs = { checker, stop: () => undefined };
    const started = new ConsoleActions(hub as never, fixedClusters([east.client]), limiter, proofs);
    started.start();
    return started;
  }

  const action = (more: Partial<ConsoleAction> = {}): ConsoleAction => ({
    ...{ v: 1, id: randomUUID(), verb: 'approve', targets: [TARGET], planHash: HASH },
    ...{ by: 'boss@bank.example', at: '2020-01-01T00:00:00Z' },
    ...more,
  });
  const write = (sent: ConsoleAction, ...proof: string[]) =>
    stolen.xadd(`${PREFIX}:console:actions`, '*', 'action', JSON.stringify(sent), ...proof);
  const endOf = async (sent: ConsoleAction): Promise<ActionResult> => {
    const sender = new RedisActionSender(stolen, PREFIX);
    await expect.poll(() => sender.results(sent.id), PATIENCE).toHaveLength(1);
    const [end] = await sender.results(sent.id);
    if (end === undefined) throw new RangeError('no result');
    return end;
  };
  const proofOf = async (sent: ConsoleAction, claims: Readonly<Record<string, unknown>> = GIVEN) =>
    parts.maker.make({ reader: 'applier', verb: sent.verb, subject: sent }, { token: await issuer.token({ claims }) });

  it('approves nothing in the name of another', async () => {
    const forged = action();
    await write(forged);
    const refused = { outcome: 'refused', message: 'the request has no proof of a person; nothing was done' };
    expect(await endOf(forged)).toEqual({ ...TARGET, ...refused });
    expect([east.patches, parts.counted]).toEqual([[], ['no-proof']]);
  });

  it('cannot say who a person is, or when it was: both come from the token and the clock of the applier', async () => {
    const sent = action();
    await write(sent, 'proof', await proofOf(sent));
    expect(await endOf(sent)).toMatchObject({ outcome: 'done' });
    const marks = { [APPROVAL_ANNOTATIONS.by]: 'jane@bank.example', [APPROVAL_ANNOTATIONS.plan]: HASH };
    expect(east.patches).toEqual([
      expect.objectContaining({ metadata: expect.objectContaining({ annotations: expect.objectContaining(marks) }) }),
    ]);
    const [{ metadata }] = east.patches as [{ metadata: { annotations: Record<string, string> } }];
    const at = Date.parse(metadata.annotations[APPROVAL_ANNOTATIONS.at] ?? '');
    expect(Math.abs(at - Date.now())).toBeLessThan(600_000);
  });

  it.each<[what: string, more: Partial<ConsoleAction>]>([
    ['verb', { verb: 'retry' }],
    ['plan', { planHash: 'another' }],
    ['cluster', { targets: [{ ...TARGET, name: 'install-2' }] }],
    ['comment', { comment: 'agreed by all' }],
    ['identifier', { id: randomUUID() }],
  ])('has no use for a proof that came with another %s', async (_what, more) => {
    const seen = action();
    const forged = { ...seen, ...more };
    await write(forged, 'proof', await proofOf(seen));
    expect(await endOf(forged)).toMatchObject({ outcome: 'refused', message: expect.stringContaining('was made for') });
    expect([east.patches, parts.counted]).toEqual([[], ['other-subject']]);
  });

  it('cannot send an action once more: not now, not to an applier that has just started, not with what it deletes', async () => {
    const sent = action();
    const proof = await proofOf(sent);
    await write(sent, 'proof', proof);
    expect(await endOf(sent)).toMatchObject({ outcome: 'done' });
    await write(sent, 'proof', proof);
    await expect.poll(() => parts.counted, PATIENCE).toEqual(['used']);
    expect(await endOf(sent), 'the answer stays').toMatchObject({ outcome: 'done' });
    await applier.stop();
    await stolen.del(`${PREFIX}:console:actions`, `${PREFIX}:console:results:${sent.id}`);
    const counted: string[] = [];
    const hubKey = parts.hubKey;
    parts = proofParts(clock, {
      issuedBy: issuer,
      used: usedProofs(),
      privateKeys: privateProofKeys(hubKey, 'applier'),
      count: (reason) => counted.push(reason),
    });
    applier = start(parts.checker);
    await write(sent, 'proof', proof);
    expect(await endOf(sent)).toMatchObject({ outcome: 'refused', message: expect.stringContaining('used before') });
    expect([east.patches, counted]).toEqual([[], ['used']]);
  });

  it.each<[what: string, claims: Readonly<Record<string, unknown>>, message: RegExp]>([
    ['another client', { aud: 'another' }, /a client other than/],
    ['another issuer', { iss: 'https://evil.test' }, /another issuer/],
    ['an hour ago', { exp: Math.floor(Date.now() / 1_000) - 3_600 }, /sign in again/],
    [
      'a person whom the policy of the applier grants nothing',
      { groups: ['guests'] },
      /applier's policy: no grant names/,
    ],
  ])('has no use for a token of %s', async (_what, claims, message) => {
    const sent = action();
    await write(sent, 'proof', await proofOf(sent, claims));
    expect(await endOf(sent)).toMatchObject({ outcome: 'refused', message: expect.stringMatching(message) });
    expect(east.patches).toEqual([]);
    expect(parts.counted).toHaveLength(1);
  });

  it('has no use for a proof that was made for the poller', async () => {
    const sent = action();
    const token = await issuer.token();
    const proof = await parts.maker.make({ reader: 'poller', verb: sent.verb, subject: sent }, { token });
    await write(sent, 'proof', proof);
    expect(await endOf(sent)).toMatchObject({ outcome: 'refused', message: expect.stringContaining('cannot open') });
    expect(east.patches).toEqual([]);
  });

  it('cannot have the applier receive actions without end, or keep it from the next one', async () => {
    const long = "redis.call('XADD', KEYS[1], '*', 'action', '{}', 'more', string.rep('x', 17 * 1024 * 1024))";
    for (let sent = 0; sent < 3; sent += 1) await stolen.eval(long, 1, `${PREFIX}:console:actions`);
    const sent = action();
    await write(sent, 'proof', await proofOf(sent));
    expect(await endOf(sent)).toMatchObject({ outcome: 'done' });
    expect(warnings).toEqual(Array(3).fill(expect.stringContaining('too long')));
  });

  it.each([
    ['an entry with the last possible id', ['XADD', '18446744073709551615-18446744073709551615', 'action', '{}']],
    ['what is no stream', ['SET', 'x']],
  ])('cannot keep the console from sending later, by %s (S15)', async (_what, [command = '', ...words]) => {
    const stream = `${PREFIX}:console:actions`;
    await stolen.call(command, stream, ...words);
    const sent = action();
    const sender = new RedisActionSender(as('console'), PREFIX);
    await sender.send(sent, randomUUID(), () => proofOf(sent));
    expect(await endOf(sent)).toMatchObject({ outcome: 'done' });
  });

  it('finds neither token nor name in what is written to Redis beside the action', async () => {
    const sent = action({ by: 'x' });
    const token = await issuer.token();
    const proof = await parts.maker.make({ reader: 'applier', verb: sent.verb, subject: sent }, { token });
    await new RedisActionSender(stolen, PREFIX).send(sent, randomUUID(), async () => proof);
    expect(await endOf(sent)).toMatchObject({ outcome: 'done' });
    const entries = JSON.stringify(await stolen.xrange(`${PREFIX}:console:actions`, '-', '+'));
    for (const secret of [token, token.split('.')[1] ?? '', 'jane@bank.example']) expect(entries).not.toContain(secret);
  });
});
