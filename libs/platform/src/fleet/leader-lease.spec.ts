import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DirectClient, type DirectCluster, directClient, directCluster } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { silentLog } from '../telemetry/log.port.js';
import { LeaderLease } from './leader-lease.js';

const NAMESPACE = 'flotilla-system';
let clock: ManualClock;
let hub: DirectCluster;
const started: LeaderLease[] = [];

beforeEach(() => {
  clock = new ManualClock();
  hub = directCluster('hub');
});
afterEach(async () => {
  for (const lease of started.splice(0)) await lease.stop();
  await hub.stop();
});

function candidate(identity: string): DirectClient & { lease: LeaderLease; gained: () => number } {
  const access = directClient(hub.cluster, identity);
  let times = 0;
  const onGained = () => void times++;
  const named = { namespace: NAMESPACE, name: 'leader', identity };
  const lease = new LeaderLease({ client: access.client, ...named, clock, log: silentLog, onGained });
  started.push(lease);
  lease.start();
  return { ...access, lease, gained: () => times };
}

/** Moves time on in steps of the retries, with room for their requests. */
async function forSeconds(seconds: number): Promise<void> {
  for (let at = 0; at < seconds; at += 2) {
    await clock.advance(2_000);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the lease of a leader', () => {
  it('goes to the first, and makes the namespace that it lies in', async () => {
    const first = candidate('one');
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    const second = candidate('two');
    await forSeconds(60);
    expect([first.lease.isHeld, second.lease.isHeld]).toEqual([true, false]);
    expect(second.lease.holder).toBe('one');
    expect([first.gained(), second.gained()]).toEqual([1, 0]);
  });

  it('goes to the second 15 seconds after the last renewal, and the first has stopped by then', async () => {
    const first = candidate('one');
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    const second = candidate('two');
    await forSeconds(4);
    first.cutOff(true);
    await forSeconds(12);
    expect([first.lease.isHeld, second.lease.isHeld]).toEqual([false, false]);
    expect(first.lease.trouble).toMatch(/connection refused/);
    await forSeconds(6);
    expect([first.lease.isHeld, second.lease.isHeld]).toEqual([false, true]);
    first.cutOff(false);
    await forSeconds(30);
    expect([first.lease.isHeld, second.lease.isHeld]).toEqual([false, true]);
  });

  it('that was renewed too late is gained again: what was turned away meanwhile is done then', async () => {
    const first = candidate('one');
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    await forSeconds(4);
    const { client } = first;
    const answered = Promise.withResolvers<void>();
    const update = client.update.bind(client);
    client.update = async (object, options) => {
      await answered.promise;
      return update(object, options);
    };
    await forSeconds(10);
    expect(first.lease.isHeld).toBe(false);
    answered.resolve();
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    expect(first.gained()).toBe(2);
  });

  it('that is given up goes to the second at its next try', async () => {
    const first = candidate('one');
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    const second = candidate('two');
    await forSeconds(4);
    await first.lease.stop();
    await forSeconds(4);
    expect([first.lease.isHeld, second.lease.isHeld]).toEqual([false, true]);
  });

  it('is asked for every two seconds, and not more often', async () => {
    const first = candidate('one');
    await expect.poll(() => first.lease.isHeld, PATIENCE).toBe(true);
    hub.cluster.requests.clear();
    await forSeconds(20);
    expect(hub.cluster.requests.writes()).toHaveLength(10);
  });
});
