import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SystemClock } from '../clock/system-clock.js';
import { silentLog } from '../telemetry/log.port.js';
import { FollowedStream } from './followed-stream.js';

const NOW_MS = 1_800_000_000_000;
const FUTURE = '99999999999999-0';
const START = `${NOW_MS - 30_000}-0`;

/** Answers what each XREAD reads; the places that were asked for, once there is nothing more. */
async function placesOf(answers: readonly (readonly string[])[], isThere: boolean): Promise<readonly string[]> {
  const places: string[] = [];
  const stopped = Promise.withResolvers<null>();
  const done = Promise.withResolvers<void>();
  const waiting = {
    on: () => waiting,
    disconnect: () => stopped.resolve(null),
    xread: async (...args: unknown[]) => {
      places.push(String(args.at(-1)));
      const ids = answers[places.length - 1];
      if (ids !== undefined) return ids.length === 0 ? null : [['s', ids.map((id) => [id, ['entry', '{}']])]];
      done.resolve();
      return stopped.promise;
    },
  };
  const redis = {
    duplicate: () => waiting,
    time: async () => [NOW_MS / 1_000, 0],
    eval: async () => (isThere ? 1 : 0),
  } as unknown as Redis;
  const stream = new FollowedStream({
    ...{ redis, clock: new SystemClock(), log: silentLog, stream: 's', field: 'entry' },
    ...{ shape: z.object({}), freshMs: 30_000, what: 'entries' },
  });
  stream.follow(() => undefined);
  await done.promise;
  await stream.stop();
  return places;
}

describe('an entry of the future, which the console can write', () => {
  it('does not keep what is written to a stream that was recreated from being read (S14)', async () => {
    expect(await placesOf([[FUTURE], []], false)).toEqual([START, FUTURE, START]);
  });

  it('is read once while it is there', async () => {
    expect(await placesOf([[FUTURE], [], []], true)).toEqual([START, FUTURE, FUTURE, FUTURE]);
  });
});

it('is followed from the last entry on', async () => {
  expect(await placesOf([[`${NOW_MS}-0`], []], false)).toEqual([START, `${NOW_MS}-0`, `${NOW_MS}-0`]);
});
