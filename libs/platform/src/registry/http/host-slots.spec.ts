import { describe, expect, it } from 'vitest';
import { HostSlots } from './host-slots.js';

const forever = new AbortController().signal;
const held = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, release: resolve };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('HostSlots', () => {
  it('runs as many at one host as it has slots, the others in the order in which they came', async () => {
    const slots = new HostSlots({ transfers: 2, requests: 1 });
    const works = Array.from({ length: 5 }, held);
    const begun: number[] = [];
    const all = works.map(({ work }, at) =>
      slots.transfer('a.test', forever, async () => {
        begun.push(at);
        await work();
      }),
    );
    await turn();
    expect(begun).toEqual([0, 1]);
    works[1]?.release();
    await turn();
    expect(begun).toEqual([0, 1, 2]);
    for (const { release } of works) release();
    await Promise.all(all);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('a host that hangs keeps neither other hosts nor other kinds of work waiting', async () => {
    const slots = new HostSlots({ transfers: 1, requests: 1 });
    const hanging = held();
    const stuck = slots.transfer('hangs.test', forever, hanging.work);
    expect(await slots.transfer('well.test', forever, async () => 'done')).toBe('done');
    expect(await slots.request('hangs.test', forever, async () => 'done')).toBe('done');
    hanging.release();
    await stuck;
  });

  it('a caller that is aborted leaves the queue, and the next one gets the slot', async () => {
    const slots = new HostSlots({ transfers: 1, requests: 1 });
    const first = held();
    const running = slots.transfer('a.test', forever, first.work);
    const impatient = new AbortController();
    const gone = slots.transfer('a.test', impatient.signal, async () => 'never');
    const next = slots.transfer('a.test', forever, async () => 'next');
    impatient.abort(new Error('time is up'));
    await expect(gone).rejects.toThrow('time is up');
    first.release();
    await running;
    expect(await next).toBe('next');
  });

  it('a failure gives its slot back', async () => {
    const slots = new HostSlots({ transfers: 1, requests: 1 });
    const failing = () => Promise.reject(new Error('broken'));
    await expect(slots.transfer('a.test', forever, failing)).rejects.toThrow('broken');
    expect(await slots.transfer('a.test', forever, async () => 'done')).toBe('done');
  });
});
