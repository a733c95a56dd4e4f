import { describe, expect, it } from 'vitest';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { ManualClock } from '../../clock/manual-clock.js';
import { ObjectsAtRest } from './objects-at-rest.js';
import { PackedObject } from './packed-object.js';

const long = (name: string, version: number) => ({
  apiVersion: 'example.com/v1',
  kind: 'Ship',
  metadata: { name, namespace: 'sea', resourceVersion: String(version) },
  spec: { text: 'a long text with ü in it, '.repeat(400) },
});

describe('a long object in a cache', () => {
  it('is deflated once it has not changed for five seconds, and reads as before', async () => {
    const clock = new ManualClock();
    const lighter: [PackedObject, number][] = [];
    const atRest = new ObjectsAtRest(clock, (...one) => lighter.push(one));
    const [first, second] = [new PackedObject(long('a', 1)), new PackedObject(long('a', 2))];
    atRest.changed('sea/a', first);
    await clock.advance(4_000);
    atRest.changed('sea/a', second);
    await clock.advance(4_000);
    expect([first.isLong, second.isLong], 'the first was replaced, the second has not rested').toEqual([true, true]);
    await clock.advance(1_000);
    expect([first.isLong, second.isLong]).toEqual([true, false]);
    expect(second.open()).toEqual(long('a', 2));
    expect(lighter).toEqual([[second, heldBytes(first) - heldBytes(second)]]);
    expect(heldBytes(second)).toBeLessThan(1_000);
  });

  it('is deflated at once where many wait', () => {
    const atRest = new ObjectsAtRest(new ManualClock(), () => undefined);
    const objects = Array.from({ length: 100 }, (_, n) => new PackedObject(long(`ship-${n}`, n)));
    for (const [index, object] of objects.entries()) atRest.changed(`sea/${index}`, object);
    expect(objects.findIndex(({ isLong }) => isLong)).toBe(36);
    atRest.stop();
  });
});
