import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '#platform/clock/system-clock';
import type { SentAction } from '#platform/console/action-channel.port';
import { MOST_NAMELESS_ENTRIES } from '#platform/console/audit-trail.port';
import { RedisUsedProofs } from '#platform/console/proof/redis-used-proofs';
import { RedisActionReceiver, RedisActionSender } from '#platform/console/redis-action-channel';
import { RedisAuditTrail } from '#platform/console/redis-audit-trail';
import { RedisSessionStore } from '#platform/console/redis-session-store';
import { findExecutable } from '#platform/debian/executable';
import { redisInstance } from '#platform/hub/hub-instance';
import { redisClaims } from '#platform/hub/kept-claims';
import { HubKey } from '#platform/keys/hub-key';
import { RedisLeases } from '#platform/ownership/redis-leases';
import { JOB_VERSION } from '#platform/queue/jobs';
import { redisQueues } from '#platform/queue/queues';
import { connectRedis } from '#platform/redis/redis-connection';
import { REFUSED } from '#platform/redis/redis-rights';
import { silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { type RedisUser, type ShippedRedis, startShippedRedis } from './redis-support/shipped-redis.js';

const silentParts = { clock: new SystemClock(), log: silentLog };
const HASH = 'a'.repeat(64);
const TARGET = { cluster: 'east', namespace: 'lamps', name: 'install-1' };
const hasRedis = ['redis-server', 'valkey-server'].some(
  (name) => findExecutable(name, process.env['PATH'] ?? '') !== undefined,
);
if (!hasRedis) console.log('not tried: the users of Redis need a redis-server on PATH');

/** Their rights are enough for installs and upgrades: see faults.extended.spec.ts. */
describe.runIf(hasRedis)('the users of Redis that are shipped', () => {
  let redis: ShippedRedis;
  let folder = '';
  const open: Redis[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-users-'));
    redis = await startShippedRedis({ prefix: 'fleet' });
  });
  afterAll(async () => {
    for (const connection of open) connection.disconnect();
    await redis?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const as = (user: RedisUser): Redis => {
    const connection = connectRedis(redis.urlOf(user));
    open.push(connection);
    return connection;
  };

  it('whose rights are too few for a service are named in its health', async () => {
    const service = new ServiceProcess(
      'resolver-worker',
      'resolver-worker',
      {
        FLOTILLA_REDIS_URL: redis.urlOf('resolver'),
        FLOTILLA_REDIS_PREFIX: 'another',
        FLOTILLA_RESOLVER_WORKER_PORT: '0',
        FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      },
      join(folder, 'log'),
    );
    try {
      service.start();
      await expect.poll(() => service.url(), PATIENCE).toBeDefined();
      const redisOf = async () => {
        const ready = await fetch(`${await service.url()}/readyz`);
        const { details } = (await ready.json()) as { details: Record<string, { detail: string }> };
        return `${ready.status} ${details['redis']?.detail}`;
      };
      await expect
        .poll(redisOf, PATIENCE)
        .toMatch(/^503 Redis user "flotilla-resolver" lacks a right: NOPERM .*\(answer to \w+\)/);
      expect(await redisOf()).toMatch(/k8s\/base\/hub\/redis-users.acl lists, with FLOTILLA_REDIS_PREFIX/);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  it('refuse a client without a name, and let the probe do nothing but PING', async () => {
    const anonymous = connectRedis(`redis://flotilla-probe:none@${redis.address}`);
    open.push(anonymous);
    await expect(anonymous.get('fleet:epoch')).rejects.toThrow(/NOPERM/);
    await expect(anonymous.call('AUTH', 'default', '')).rejects.toThrow(/WRONGPASS/);
  });

  it.each(['poller', 'applier'] as const)('let the %s take its shards', async (role) => {
    const leases = new RedisLeases(as(role), { prefix: 'fleet', role, shards: 16 });
    const request = { member: 'a', ending: false, wanted: [3], leaseMs: 10_000 };
    expect([...(await leases.exchange(request)).leases.keys()]).toEqual([3]);
  });

  it('let poller and applier know the instance of their hub, which no other service does', async () => {
    const [poller, applier] = [redisInstance(as('poller'), 'fleet'), redisInstance(as('applier'), 'fleet')];
    expect(await poller()).toBe(await applier());
    for (const other of ['console', 'resolver'] as const)
      await expect(as(other).set('fleet:instance', 'x')).rejects.toThrow(REFUSED);
    expect(await redisInstance(as('poller'), 'another')(), 'with the rights of the release before').toBeUndefined();
  });

  it('let poller and applier share which cluster had an identity first, which no other service does', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flotilla-claims-'));
    const key = HubKey.random();
    const of = (user: 'poller' | 'applier') =>
      redisClaims({
        redis: as(user),
        prefix: 'fleet',
        path: join(folder, user),
        key,
        clock: new SystemClock(),
        log: silentLog,
      });
    const [poller, applier] = [of('poller'), of('applier')];
    const claim = { cluster: 'east', server: 'https://east', authority: '' };
    await poller.keep('u', claim, undefined);
    expect(await applier.read('u')).toEqual(claim);
    for (const other of ['console', 'resolver'] as const)
      await expect(as(other).hset('fleet:identities', 'u', 'x')).rejects.toThrow(REFUSED);
    await Promise.all([poller.written(), applier.written()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it('let the notifier work on its own queue, and on no other', async () => {
    const queues = (user: RedisUser) => redisQueues({ redis: as(user), prefix: 'fleet', stalledIntervalMs: 300 });
    const { notify, observe } = queues('notifier');
    const taken: string[] = [];
    await notify.process(async ({ notification }) => void taken.push(notification), { concurrency: 1 });
    await notify.add({ v: JOB_VERSION, notification: 'on-call' });
    await notify.add({ v: JOB_VERSION, notification: 'later' }, { delayMs: 10 });
    await expect.poll(() => taken.toSorted(), PATIENCE).toEqual(['later', 'on-call']);
    expect(await notify.counts()).toMatchObject({ waiting: 0, failed: 0 });
    await expect(observe.add({ v: JOB_VERSION, cluster: 'east', namespace: 'lamps' })).rejects.toThrow(REFUSED);
    await expect(as('notifier').get('fleet:problem:x')).rejects.toThrow(REFUSED);
    await notify.close({ deadlineMs: 1_000 });
  });

  it('let the console read rows and send actions, and the applier answer', async () => {
    const action = { v: 1, id: randomUUID(), verb: 'approve', targets: [TARGET], by: 'jane', at: 'now' } as const;
    const sender = new RedisActionSender(as('console'), 'fleet');
    const receiver = new RedisActionReceiver({ redis: as('applier'), prefix: 'fleet', ...silentParts });
    const taken = new Promise<SentAction>((resolve) => receiver.follow(resolve));
    expect(await sender.send({ ...action, targets: [TARGET] }, 'key', async () => 'proof')).toBe(action.id);
    expect(await taken).toEqual({ action, proof: 'proof', delivery: expect.stringMatching(/^\d+-\d+$/) });
    await receiver.report(action.id, TARGET, { outcome: 'done', message: '' });
    expect(await sender.results(action.id)).toEqual([{ ...TARGET, outcome: 'done', message: '' }]);
    expect(await as('console').hgetall('fleet:view:rows:east')).toEqual({});
    await receiver.stop();
  });

  it.each(['applier', 'poller'] as const)(
    'let the %s remember proofs, and no other service forget them',
    async (reader) => {
      const { clock } = silentParts;
      const proof = { nonce: randomUUID(), part: 'east', delivery: '1-0' };
      const take = (delivery: string) =>
        new RedisUsedProofs({ redis: as(reader), prefix: 'fleet', clock, reader }).take({ ...proof, delivery });
      expect([await take('1-0'), await take('1-0'), await take('2-0')]).toEqual(['first', 'elsewhere', 'used']);
      const hash = createHash('sha256').update(`${proof.nonce}\neast`).digest('hex');
      const key = `fleet:proof:${reader}:${hash}`;
      expect(await as(reader).get(key)).toBe('1-0');
      for (const other of ['console', 'resolver', reader === 'applier' ? 'poller' : 'applier'] as const)
        await expect(as(other).del(key)).rejects.toThrow(REFUSED);
    },
  );

  it('let the console keep sessions, which no other service reads', async () => {
    const sessions = new RedisSessionStore(as('console'), 'fleet');
    const times = { beganMs: 1, seenMs: 2, groupsMs: 3 };
    const session = { name: 'jane', groups: ['sre'], ...times };
    await sessions.put(HASH, session, 60);
    expect(await sessions.get(HASH)).toEqual(session);
    expect(await as('console').ttl(`fleet:console:session:${HASH}`)).toBeGreaterThan(50);
    for (const other of ['poller', 'applier', 'resolver'] as const)
      await expect(as(other).get(`fleet:console:session:${HASH}`)).rejects.toThrow(REFUSED);
    await sessions.remove(HASH);
    expect(await sessions.get(HASH)).toBeUndefined();
  });

  it('let the console keep sign-ins and refusals, which no other service reads', async () => {
    const trail = new RedisAuditTrail(as('console'), 'fleet');
    const entry = { at: '2026-11-26T10:41:00.000Z', address: '', verb: '', targets: [], more: 0, because: '' };
    for (let at = 0; at < MOST_NAMELESS_ENTRIES + 1; at += 1)
      await trail.add({ ...entry, event: 'sign-in-refused', person: '', because: `number ${at}` });
    await trail.add({ ...entry, event: 'sign-in', person: 'jane', at: '2026-11-26T10:40:00.000Z' });
    const kept = await trail.read();
    expect(kept).toHaveLength(MOST_NAMELESS_ENTRIES + 1);
    expect(kept[0]?.because, 'the newest first').toBe(`number ${MOST_NAMELESS_ENTRIES}`);
    expect(kept.at(-1)?.person, 'sign-ins without a person push out no other').toBe('jane');
    for (const other of ['poller', 'applier', 'resolver'] as const)
      await expect(as(other).lrange('fleet:console:trail:people', 0, -1)).rejects.toThrow(REFUSED);
  });

  it.each([
    ['write an observation', ['SET', `fleet:observation-v3:east/apps`, 'x']],
    ['read an observation', ['GET', `fleet:observation-v3:east/apps`]],
    ['write an observation of an extension', ['SET', `fleet:extensions:observation-v3:east/lamp`, 'x']],
    ['ask for an observation', ['SET', `fleet:observe-from:east/apps`, 'x']],
    ['write what was seen', ['HSET', `fleet:seen-v2:east/apps`, 'Subscription', '1']],
    ['write a problem', ['SET', `fleet:problem:${HASH}`, 'x']],
    ['remove a problem', ['DEL', `fleet:problem:${HASH}`]],
    ['end a problem', ['EXPIRE', `fleet:problem:${HASH}`, '1']],
    ['write a package record', ['SET', `fleet:record:${HASH}`, 'x']],
    ['see which namespaces wait', ['SMEMBERS', `fleet:waiters:${HASH}`]],
    ['add one that waits', ['SADD', `fleet:waiters:${HASH}`, '{}']],
    ['read the queue of the applier', ['LRANGE', 'fleet:queue:apply:wait', '0', '-1']],
    ['add a job for the applier', ['LPUSH', 'fleet:queue:apply:wait', '1']],
    ['write a job for the applier', ['HSET', 'fleet:queue:apply:1', 'data', '{}']],
    ['add a job for the poller', ['LPUSH', 'fleet:queue:observe:wait', '1']],
    ['add a delayed job', ['ZADD', 'fleet:alarm:apply:alarms', '1', '{}']],
    ['remove failures of the applier', ['DEL', 'fleet:failures:apply']],
    ['do so in a script', ['EVAL', "return redis.call('LPUSH', 'fleet:queue:apply:wait', '1')", '0']],
    ['make all believe that Redis was emptied', ['DEL', 'fleet:epoch']],
    ['take a shard of an applier', ['HSET', 'fleet:shards:applier:16', '0', '1 1 x']],
    ['see who owns the shards', ['HGETALL', 'fleet:shards:poller:16']],
    ['write a key of something else', ['SET', 'other', 'x']],
    ['list keys', ['KEYS', '*']],
    ['scan keys', ['SCAN', '0']],
    ['get a random key', ['RANDOMKEY']],
    ['empty Redis', ['FLUSHALL']],
    ['empty its database', ['FLUSHDB']],
    ['read the configuration', ['CONFIG', 'GET', '*']],
    ['change a user', ['ACL', 'SETUSER', 'flotilla-resolver', '+@all', 'allkeys']],
    ['list users', ['ACL', 'LIST']],
    ['see other clients', ['CLIENT', 'LIST']],
    ['end other clients', ['CLIENT', 'KILL', 'TYPE', 'normal']],
    ['listen to commands', ['MONITOR']],
    ['subscribe', ['SUBSCRIBE', 'x']],
    ['publish', ['PUBLISH', 'x', 'y']],
    ['copy what it may not read', ['COPY', `fleet:observation-v3:east/apps`, `fleet:solution-v2:${HASH}`]],
    ['load a function', ['FUNCTION', 'LOAD', '#!lua name=x']],
    ['end the server', ['SHUTDOWN', 'NOSAVE']],
    ['make it a replica', ['REPLICAOF', '127.0.0.1', '1']],
    ['read what was slow', ['SLOWLOG', 'GET']],
  ])('do not let a resolver %s', async (_, [command = '', ...args]) => {
    await expect(as('resolver').call(command, ...args)).rejects.toThrow(REFUSED);
  });

  it.each<[RedisUser, string, string[]]>([
    ['applier', 'write an observation', ['SET', 'fleet:observation-v3:east/apps', 'x']],
    ['applier', 'make all believe that Redis was emptied', ['DEL', 'fleet:epoch']],
    ['applier', 'take a shard of a poller', ['HSET', 'fleet:shards:poller:16', '0', '1 1 x']],
    ['poller', 'take a shard of an applier', ['HSET', 'fleet:shards:applier:16', '0', '1 1 x']],
    ['poller', 'demand an observation', ['SET', 'fleet:observe-from:east/apps', 'x']],
    ['poller', 'empty Redis', ['FLUSHALL']],
    ['applier', 'empty Redis', ['FLUSHALL']],
    ['console', 'write a row', ['HSET', 'fleet:view:rows:east', 'x', '{}']],
    ['console', 'read a problem', ['GET', `fleet:problem:${HASH}`]],
    ['console', 'add a job for the applier', ['LPUSH', 'fleet:queue:apply:wait', '1']],
    ['console', 'do so in a script', ['EVAL', "return redis.call('LPUSH', 'fleet:queue:apply:wait', '1')", '0']],
    ['console', 'make all believe that Redis was emptied', ['DEL', 'fleet:epoch']],
    ['console', 'empty Redis', ['FLUSHALL']],
    ['resolver', 'approve as the console', ['XADD', 'fleet:console:actions', '*', 'action', '{}']],
    ['poller', 'approve as the console', ['XADD', 'fleet:console:actions', '*', 'action', '{}']],
    ['poller', 'change a user', ['ACL', 'SETUSER', 'flotilla-resolver', '+@all']],
  ])('do not let the %s %s', async (user, _, [command = '', ...args]) => {
    await expect(as(user).call(command, ...args)).rejects.toThrow(REFUSED);
  });
});
