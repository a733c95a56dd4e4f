import { expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import { MemoryProblemStore } from './memory-problem-store.js';

const solution = { result: 'unsatisfiable', message: 'no', explanation: [], advice: 'ask again' } as const;
const HOUR_MS = 3_600_000;

it('forgets what is not read for a day, and keeps what is', async () => {
  const clock = new ManualClock();
  const store = new MemoryProblemStore({ clock });
  await store.putSolution('read', { ...solution, explanation: [] });
  await store.putSolution('unread', { ...solution, explanation: [] });
  await clock.advance(20 * HOUR_MS);
  expect(await store.getSolution('read')).toEqual(solution);
  await clock.advance(20 * HOUR_MS);
  expect([await store.getSolution('read'), await store.getSolution('unread')]).toEqual([solution, undefined]);
});
