import { expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { silentLog } from '#platform/telemetry/log.port';
import { MovedSubjects } from './moved-subjects.js';

const SHOP = { cluster: 'east', namespace: 'shop' };

function moved(refusals: number) {
  const clock = new ManualClock();
  const added: unknown[] = [];
  let left = refusals;
  const add = async (job: unknown) => {
    if (left-- > 0) throw new Error('OOM command not allowed');
    added.push(job);
  };
  return { clock, added, subjects: new MovedSubjects({ queue: { add }, clock, log: silentLog }) };
}

it('a subject that moved is enqueued', async () => {
  const { added, subjects, clock } = moved(0);
  subjects.enqueue(SHOP);
  await clock.advance(0);
  expect(added).toEqual([{ v: 1, ...SHOP }]);
});

it('one that the queue refuses is enqueued later, once, however often it moved', async () => {
  const { added, subjects, clock } = moved(4);
  for (const _ of [1, 2, 3]) subjects.enqueue(SHOP);
  await clock.advance(30_000);
  expect(added, 'refused again').toEqual([]);
  await clock.advance(30_000);
  expect(added).toEqual([{ v: 1, ...SHOP }]);
  await clock.advance(300_000);
  expect(added).toHaveLength(1);
});
