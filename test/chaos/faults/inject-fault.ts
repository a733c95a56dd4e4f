import { Refusal } from '#testing/cluster/objects/refusal';
import { pause } from '#testing/patience';
import type { ChaosCluster } from '../hub/chaos-cluster.js';
import { askRedis, type ChaosHub, redisOf } from '../hub/chaos-hub.js';
import type { FaultName } from '../plan/fault-kinds.js';
import type { PlannedFault } from '../plan/plan-faults.js';

/** Ends a fault. */
type End = () => Promise<unknown> | unknown;
type Begin = (hub: ChaosHub, fault: PlannedFault) => Promise<End> | End;

/** One request in so many is lost, in turns before and after it was served. */
const LOST_EVERY = 4;
const CLOCK_JUMPS_MS = [3_600_000, -3_600_000, 30_000, -30_000];

const clusterOf = ({ clusters }: ChaosHub, { target }: PlannedFault): ChaosCluster => {
  const found = clusters.find(({ name }) => name === target);
  if (found === undefined) throw new RangeError(`there is no cluster ${target}`);
  return found;
};

const BEGIN: Readonly<Record<FaultName, Begin>> = {
  'service killed (SIGKILL)': ({ services }, { target }) => services.kill(target),
  'service stopped (SIGSTOP, SIGCONT)': ({ services }, { target }) => services.freeze(target),
  'clock of a service jumps': async ({ shiftClock }, { target, forMs }) => {
    await shiftClock(target, CLOCK_JUMPS_MS[forMs % CLOCK_JUMPS_MS.length] ?? 0);
    return () => shiftClock(target, 0);
  },
  'Redis restarted, back empty': async (hub, { forMs }) => {
    await redisOf(hub).crash(forMs);
    return () => undefined;
  },
  'Redis flushed (FLUSHALL)': async (hub) => {
    await askRedis(hub, (client) => client.flushall());
    return () => undefined;
  },
  'Redis at maxmemory': async (hub) => {
    await askRedis(hub, (client) => client.config('SET', 'maxmemory', '1'));
    return () => askRedis(hub, (client) => client.config('SET', 'maxmemory', '0'));
  },
  'API server answers 500 and 503': (hub, fault) => {
    const { cluster } = clusterOf(hub, fault);
    const [status, reason] = fault.forMs % 2 === 0 ? [500, 'InternalError'] : [503, 'ServiceUnavailable'];
    return cluster.failAll({}, new Refusal(status, reason, 'the API server is not well'));
  },
  'API server answers 429': (hub, fault) => {
    const details = { retryAfterSeconds: 1 };
    return clusterOf(hub, fault).cluster.failAll({}, new Refusal(429, 'TooManyRequests', 'please wait', details));
  },
  'API server hangs': (hub, fault) => {
    const { cluster } = clusterOf(hub, fault);
    const over = Promise.withResolvers<void>();
    cluster.delay = () => over.promise;
    return () => {
      cluster.delay = () => undefined;
      over.resolve();
    };
  },
  'API server restarted': (hub, fault) => awayFrom(clusterOf(hub, fault)),
  'API server restored from a backup': (hub, fault) => {
    const cluster = clusterOf(hub, fault);
    const end = awayFrom(cluster);
    cluster.restore(fault.forMs % 2 === 0 ? 'go back' : 'go on');
    return end;
  },
  'watches reset and too old': (hub, fault) => {
    const { cluster } = clusterOf(hub, fault);
    cluster.expireWatches(fault.atMs % 2 === 0 ? 'event' : 'status');
    cluster.endWatches();
    return () => undefined;
  },
  'requests and answers lost': (hub, fault) => {
    const { cluster } = clusterOf(hub, fault);
    let count = 0;
    cluster.lossOf = () => {
      count += 1;
      return count % LOST_EVERY > 0 ? undefined : count % (2 * LOST_EVERY) === 0 ? 'request' : 'answer';
    };
    return () => {
      cluster.lossOf = () => undefined;
    };
  },
  'cluster cut off (partition)': (hub, fault) => {
    const { network } = clusterOf(hub, fault);
    network.stall();
    return () => network.resume();
  },
  'token expired': (hub, fault) => {
    const cluster = clusterOf(hub, fault);
    cluster.expireToken();
    return () => cluster.renewToken();
  },
  'registry answers 500': ({ registry }) => registry.failAll({ status: 500 }),
  'registry breaks off in the middle': ({ registry }) => registry.failAll({ cut: 'within' }),
  'registry hangs': ({ registry }) => registry.failAll({ hang: 'before' }),
  'registry answers a page of its own': ({ registry }) =>
    registry.failAll({ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Please sign in</html>' }),
  'registry serves changed bytes': ({ registry }) => registry.failAll({ hostile: 'changed' }),
  'registry answers without an end': ({ registry }) => registry.failAll({ hostile: 'endless' }),
  'content disk full': ({ disk }) => {
    disk.fill();
    return () => disk.clear();
  },
};

/** Closes the port of the API server until the caller calls the returned function. */
function awayFrom({ network }: ChaosCluster): () => void {
  network.refuse();
  return () => network.resume();
}

/** Makes the fault happen, and ends it when its time is over; gives when it ended (`performance.now()`). */
export async function injectFault(hub: ChaosHub, fault: PlannedFault): Promise<number> {
  const since = performance.now();
  const end = await BEGIN[fault.fault](hub, fault);
  await pause(Math.max(fault.forMs - (performance.now() - since), 0));
  await end();
  return performance.now();
}
