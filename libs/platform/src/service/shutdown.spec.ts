import { expect, it } from 'vitest';
import { silentLog } from '../telemetry/log.port.js';
import { Shutdown } from './shutdown.js';

it('gives all parts one deadline, which begins with the first of them; none gets less than no time', async () => {
  let now = 5_000;
  const shutdown = new Shutdown(1_000, silentLog, () => now);
  expect(shutdown.hasBegun).toBe(false);
  const deadlines: number[] = [];
  const part = async (deadlineMs: number) => {
    deadlines.push(deadlineMs);
    now += 700;
  };
  for (let count = 0; count < 3; count++) await shutdown.drain(part);
  expect(shutdown.hasBegun).toBe(true);
  expect(deadlines).toEqual([1_000, 300, 0]);
});

it('logs the error of a part that cannot be drained, and goes on', async () => {
  const errors: unknown[] = [];
  const shutdown = new Shutdown(1_000, { error: (fields, message) => errors.push([fields, message]) });
  const error = new Error('Redis is gone');
  await shutdown.drain(() => Promise.reject(error));
  expect(errors).toEqual([[{ error }, 'could not drain the work']]);
});
