import { describe, expect, it } from 'vitest';
import { aWhile, PATIENCE } from '#testing/patience';
import { Demand } from './demand.js';
import { FairLimiter } from './fair-limiter.js';
import { Lanes } from './lanes.js';
import { SharedWork } from './shared-work.js';

const east = { cluster: 'east', namespace: 'apps' };
const west = { cluster: 'west', namespace: 'tenant' };
const SERIAL = { total: 1, perCluster: 1, perNamespace: 1 };

/** Work that ends when its signal is aborted, and records when that was. */
function piece(name: string, log: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const start = () => {
    log.push(`${name} begins`);
    return { done: promise, end: () => void log.push(`${name} ended`) };
  };
  return { start, finish: () => resolve(name) };
}

describe('demand for work', () => {
  it('ends with its last owner, and no sooner', () => {
    const leaving = new AbortController();
    const demand = Demand.of(east, leaving.signal);
    const leave = demand.join(west);
    leaving.abort();
    expect(demand.owners()).toEqual([west]);
    expect(demand.signal.aborted).toBe(false);
    leave();
    expect(demand.signal.reason).toMatchObject({ code: 'WorkNotWanted' });
  });

  it('that follows another has its owners, those that come later, too', () => {
    const [inner, outer] = [new Demand(), Demand.of(east)];
    inner.follow(outer);
    const leave = outer.join(west);
    expect(inner.owners()).toEqual([east, west]);
    leave();
    expect(inner.owners()).toEqual([east]);
  });
});

describe('work that several ask for', () => {
  it('is done once, goes on while one of them waits, and is ended when none does', async () => {
    const shared = new SharedWork<string>();
    const [one, two] = [new AbortController(), new AbortController()];
    const signals: AbortSignal[] = [];
    const never = (demand: Demand) => {
      signals.push(demand.signal);
      return new Promise<string>(() => undefined);
    };
    const first = shared.run('key', Demand.of(east, one.signal), never);
    const second = shared.run('key', Demand.of(west, two.signal), never);
    one.abort();
    await expect(first).rejects.toMatchObject({ code: 'WorkNotWanted' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    two.abort();
    await expect(second).rejects.toMatchObject({ code: 'WorkNotWanted' });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    void shared.run('key', Demand.of(east), never).catch(() => undefined);
    expect(signals).toHaveLength(2);
  });
});

describe('work within bounds', () => {
  it('of one cluster leaves a turn to another, and work that no caller waits for gives up its place', async () => {
    const limiter = new FairLimiter({ total: 2, perCluster: 1, perNamespace: 1 });
    const begun: string[] = [];
    const hold = (name: string) => () => {
      begun.push(name);
      return new Promise<never>(() => undefined);
    };
    const gone = new AbortController();
    void limiter.run(Demand.of(west), hold('west 1'));
    const second = limiter.run(Demand.of(west, gone.signal), hold('west 2'));
    void limiter.run(Demand.of(east), hold('east'));
    await aWhile();
    expect(begun).toEqual(['west 1', 'east']);
    expect(limiter.waiting).toBe(1);
    gone.abort();
    await expect(second).rejects.toMatchObject({ code: 'WorkNotWanted' });
    expect(limiter.waiting).toBe(0);
  });

  it('begins at the turn of an owner that joined later, and counts once', async () => {
    const limiter = new FairLimiter(SERIAL);
    const first = await limiter.enter(Demand.of(west));
    const demand = Demand.of(west);
    const turn = limiter.enter(demand);
    demand.join(east);
    first.release();
    expect((await turn).owner).toEqual(west);
    (await turn).release();
    expect([limiter.waiting, limiter.running]).toEqual([0, 0]);
  });
});

describe('two lanes', () => {
  const lanesOf = (firstMs: number) => {
    const [first, slow] = [new FairLimiter(SERIAL), new FairLimiter(SERIAL)];
    return { lanes: new Lanes({ first, slow, firstMs }), first, slow };
  };

  it('let what takes long go on in the slow lane, and the next one begin', async () => {
    const { lanes } = lanesOf(5);
    const log: string[] = [];
    const [long, quick] = [piece('long', log), piece('quick', log)];
    const longDone = lanes.run(Demand.of(west), long.start);
    const quickDone = lanes.run(Demand.of(west), quick.start);
    quick.finish();
    expect(await quickDone).toBe('quick');
    expect(log).toEqual(['long begins', 'quick begins']);
    long.finish();
    expect(await longDone).toBe('long');
  });

  it('do not count the time until the work is under way', async () => {
    const { lanes, slow } = lanesOf(5);
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const log: string[] = [];
    const work = piece('work', log);
    const done = lanes.run(Demand.of(west), () => ({ ...work.start(), began }));
    await aWhile();
    expect(slow.running).toBe(0);
    begin();
    await expect.poll(() => slow.running, PATIENCE).toBe(1);
    work.finish();
    expect(await done).toBe('work');
  });

  it('end what takes long while the slow lane is taken, and begin it anew in its turn', async () => {
    const { lanes, slow } = lanesOf(5);
    const log: string[] = [];
    const [one, two, quick] = [piece('one', log), piece('two', log), piece('quick', log)];
    const oneDone = lanes.run(Demand.of(west), one.start);
    const twoDone = lanes.run(Demand.of(west), two.start);
    const quickDone = lanes.run(Demand.of(east), quick.start);
    quick.finish();
    expect(await quickDone).toBe('quick');
    expect(log).toEqual(['one begins', 'two begins', 'two ended', 'quick begins']);
    expect(slow.waiting).toBe(1);
    one.finish();
    two.finish();
    expect(await Promise.all([oneDone, twoDone])).toEqual(['one', 'two']);
    expect(log.at(-1)).toBe('two begins');
  });

  it('end work that is not wanted any more, in either lane', async () => {
    const { lanes, slow, first } = lanesOf(5);
    const log: string[] = [];
    const gone = new AbortController();
    const done = lanes.run(Demand.of(west, gone.signal), piece('one', log).start);
    await expect.poll(() => slow.running).toBe(1);
    gone.abort();
    await expect(done).rejects.toMatchObject({ code: 'WorkNotWanted' });
    expect(log).toEqual(['one begins', 'one ended']);
    expect([first.running, slow.running]).toEqual([0, 0]);
  });
});
