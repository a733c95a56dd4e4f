import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { redisCheck } from './redis-check.js';

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');

/** A Redis that takes writes; `time`: its clock, or the error that its user gets. */
const redisAt = (time: number | Error): Redis =>
  ({
    status: 'ready',
    set: async () => 'OK',
    info: async () => '',
    time: async () => {
      if (time instanceof Error) throw time;
      return [Math.floor(time / 1_000), 0];
    },
  }) as unknown as Redis;

describe('the check of Redis', () => {
  it.each([
    {
      by: 'an hour ahead',
      time: NOW_MS - 3_600_000,
      says: /^the clock of this machine is 60 min ahead of that of Redis/,
    },
    {
      by: 'an hour behind',
      time: NOW_MS + 3_600_000,
      says: /^the clock of this machine is 60 min behind that of Redis/,
    },
  ])('is degraded where the clock of this machine is $by, and says what to do', async ({ time, says }) => {
    const health = await redisCheck(redisAt(time), { nowMs: () => NOW_MS }).check();
    expect(health).toMatchObject({ up: true, degraded: true, detail: expect.stringMatching(says) });
    expect(health.detail).toContain('set both clocks by NTP');
  });

  it.each([
    { because: 'clocks differ by seconds', time: NOW_MS - 30_000 },
    { because: 'the user may not ask for the time', time: new Error('NOPERM') },
  ])('is well where $because', async ({ time }) => {
    const health = await redisCheck(redisAt(time), { nowMs: () => NOW_MS }).check();
    expect(health).toEqual({ up: true, detail: 'takes writes' });
  });
});
