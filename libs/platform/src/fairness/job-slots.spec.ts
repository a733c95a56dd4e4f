import { describe, expect, it } from 'vitest';
import { JobSlots } from './job-slots.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the slots of a queue', () => {
  const { signal } = new AbortController();

  it('are taken by so many jobs at once, and then in the order of arrival', async () => {
    const slots = new JobSlots(2);
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (name: string) =>
      slots.run(signal, () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      });
    const all = ['a', 'b', 'c', 'd'].map(run);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    ends.get('b')?.();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) ends.get(name)?.();
    await settle();
    ends.get('d')?.();
    await Promise.all(all);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('are free again after a failure', async () => {
    const slots = new JobSlots(1);
    await expect(slots.run(signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.run(signal, async () => 'yes')).toBe('yes');
  });

  it('are not taken by a job that was stopped while it waited', async () => {
    const slots = new JobSlots(1);
    const held = Promise.withResolvers<string>();
    const first = slots.run(signal, () => held.promise);
    const stop = new AbortController();
    let began = false;
    const second = slots.run(stop.signal, async () => (began = true));
    stop.abort(new Error('the process is ending'));
    await expect(second).rejects.toThrow('the process is ending');
    held.resolve('done');
    await first;
    expect(began).toBe(false);
    expect(await slots.run(signal, async () => 'yes')).toBe('yes');
  });
});
