import { describe, expect, it } from 'vitest';
import { type Pace, paceAfter, type WorkKind } from './work-pace.js';

type Worked = Readonly<{ kind?: WorkKind; workMs: number; seconds: number; networkMs?: number; readers?: number }>;

/** How much of the time is work, in per cent: each reader works, waits for the network and rests. */
function busy({ kind = 'lists', workMs, seconds, networkMs = 0, readers = 1 }: Worked): number {
  const readyAtMs = Array.from({ length: readers }, () => 0);
  let pace: Pace | undefined;
  let nowMs = 0;
  let worked = 0;
  while (nowMs < seconds * 1_000) {
    const next = readyAtMs.indexOf(Math.min(...readyAtMs));
    nowMs = Math.max(nowMs, readyAtMs[next] ?? 0) + workMs;
    worked += workMs;
    const after = paceAfter(pace, { kind, workMs }, nowMs);
    pace = after.pace;
    readyAtMs[next] = nowMs + after.pauseMs + networkMs;
  }
  return Math.round((100 * worked) / nowMs);
}

describe('the work for one cluster', () => {
  it('takes half of the time where it is the start of a large cluster', () => {
    expect(busy({ workMs: 10, seconds: 2 })).toBeGreaterThan(45);
    expect(busy({ workMs: 10, seconds: 2, readers: 20 })).toBeLessThan(65);
  });

  it('takes a quarter of the time where it does not end, however many lists are read at once', () => {
    for (const readers of [1, 20]) {
      const part = busy({ workMs: 10, seconds: 600, readers });
      expect(part).toBeGreaterThan(23);
      expect(part).toBeLessThan(27);
    }
  });

  it('leaves time for a list of 2 GiB before its continue token expires', () => {
    let pace: Pace | undefined;
    let nowMs = 0;
    // Pages of a MiB: 8 ms to receive, 6 to parse and to pack.
    for (let page = 0; page < 2_048; page += 1) {
      const after = paceAfter(pace, { kind: 'lists', workMs: 14 }, nowMs + 14);
      pace = after.pace;
      nowMs += 14 + after.pauseMs;
    }
    expect(nowMs).toBeLessThan(150_000);
  });

  it('takes half of the time for events, however long an operator makes many of them', () => {
    expect(busy({ kind: 'events', workMs: 1, seconds: 600 })).toBe(50);
  });

  it('takes a twentieth of the time for a cluster that has exceeded a budget', () => {
    for (const readers of [1, 20]) expect(busy({ kind: 'excess', workMs: 10, seconds: 600, readers })).toBe(5);
  });

  it('does not rest while the network takes longer than the work', () => {
    expect(busy({ workMs: 1, networkMs: 20, seconds: 60 })).toBe(5);
  });

  it('has its whole allowance again after a quiet time', () => {
    let pace: Pace | undefined;
    for (let nowMs = 0; nowMs < 10_000; nowMs += 100)
      pace = paceAfter(pace, { kind: 'lists', workMs: 100 }, nowMs).pace;
    expect(paceAfter(pace, { kind: 'lists', workMs: 100 }, 10_000).pauseMs).toBeGreaterThan(300);
    expect(paceAfter(pace, { kind: 'lists', workMs: 100 }, 200_000).pauseMs).toBe(50);
  });

  it('goes on one after the other where several wait', () => {
    let pace: Pace | undefined;
    const pauses = [60, 60, 60].map((workMs) => {
      const after = paceAfter(pace, { kind: 'lists', workMs }, 1_000);
      pace = after.pace;
      return after.pauseMs;
    });
    expect(pauses).toEqual([10, 130, 250]);
  });
});
