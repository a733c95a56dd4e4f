import { describe, expect, it } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { RecentDefinitions } from './recent-definitions.js';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.example.com', resourceVersion: '7' },
};
const ref = { name: 'lamps.example.com' };

describe('a definition that a pass has read', () => {
  it('is given again for two seconds', async () => {
    const clock = new ManualClock();
    const definitions = new RecentDefinitions(clock);
    expect(definitions.found(ref, undefined)).toBeUndefined();
    await definitions.read(undefined, async () => definition);
    await clock.advance(1_999);
    expect(definitions.found(ref, undefined)).toBe(definition);
    await clock.advance(1);
    expect(definitions.found(ref, undefined)).toBeUndefined();
  });

  it('is held for two seconds from when it was read last', async () => {
    const clock = new ManualClock();
    const definitions = new RecentDefinitions(clock);
    await definitions.read('7', async () => definition);
    await clock.advance(1_500);
    await definitions.read('7', async () => definition);
    await clock.advance(1_500);
    expect(definitions.found(ref, '7')).toBe(definition);
  });

  it('is not given to a pass for which a change was seen, nor after it was written', async () => {
    const definitions = new RecentDefinitions(new ManualClock());
    await definitions.read('7', async () => definition);
    expect(definitions.found(ref, '8')).toBeUndefined();
    expect(definitions.found(ref, '7')).toBe(definition);
    definitions.noteWritten('lamps.example.com');
    expect(definitions.found(ref, '7')).toBeUndefined();
  });

  it('is not held where it was written while it was read, nor where it is not there', async () => {
    const definitions = new RecentDefinitions(new ManualClock());
    const read = Promise.withResolvers<typeof definition>();
    const answer = definitions.read('7', () => read.promise);
    definitions.noteWritten('lamps.example.com');
    read.resolve(definition);
    expect(await answer).toBe(definition);
    expect(definitions.found(ref, '7')).toBeUndefined();
    expect(await definitions.read('7', async () => undefined)).toBeUndefined();
  });
});
