import { expect, it } from 'vitest';
import { MemoryView } from './memory-view.js';

const removal = (at: number) => ({ cluster: 'east', changed: [], removed: [`operator/${at}`] });

it('keeps so many changes for its readers; one that comes later loads all rows again', async () => {
  const view = new MemoryView();
  const { epoch, place } = await view.load();
  for (let at = 0; at < 100_000; at += 1) await view.write(removal(at));
  expect(await view.changesAfter(epoch, place, 0)).toMatchObject({ changes: [{ removed: { length: 100_000 } }] });
  await view.write(removal(100_000));
  expect(await view.changesAfter(epoch, place, 0)).toBe('lost');
  const { place: now } = await view.load();
  await view.write(removal(100_001));
  expect(await view.changesAfter(epoch, now, 0)).toMatchObject({ changes: [removal(100_001)] });
});
