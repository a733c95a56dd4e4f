import { Redis } from 'ioredis';
import { pause } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type { RestartableRedis } from './restartable-redis.js';

export const FAULTS = [
  'poller killed',
  'one resolver killed',
  'both resolvers killed',
  'applier killed',
  'Redis flushed',
  'Redis killed and back empty',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Time until a killed program is restarted, as by a supervisor. */
const AWAY_MS = 300;

/** Plays the fault, and restarts the killed program. */
export async function injectFault(
  fault: Fault,
  environment: ServicesEnvironment,
  redis: RestartableRedis,
): Promise<void> {
  if (fault === 'Redis flushed') return flush(redis.url);
  if (fault === 'Redis killed and back empty') return redis.crash(AWAY_MS);
  const victims = environment.services.filter(({ name }) => victimsOf[fault].includes(name));
  if (victims.length === 0) throw new Error(`${fault}: the environment has no such service`);
  for (const { name, running } of victims) if (!running) throw new Error(`${name} was to be killed and does not run`);
  await Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
  await pause(AWAY_MS);
  for (const victim of victims) victim.start();
}

const victimsOf: Readonly<Record<Exclude<Fault, `Redis ${string}`>, readonly string[]>> = {
  'poller killed': ['catalog-poller'],
  'one resolver killed': ['resolver-worker-1'],
  'both resolvers killed': ['resolver-worker-1', 'resolver-worker-2'],
  'applier killed': ['applier'],
};

async function flush(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.flushall();
  } finally {
    redis.disconnect();
  }
}
