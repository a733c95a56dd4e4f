import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../clock/manual-clock.js';
import { KubeApiError } from '../client/kube-client.port.js';
import { ClusterLimiter } from './cluster-limiter.js';

const unreachable = () => new KubeApiError('far', 0, 'Unreachable', 'no answer');
const forbidden = () => new KubeApiError('far', 403, 'Forbidden', 'no');
const done = async () => 'done';
const failing = (error: Error) => () => Promise.reject(error);

function limiterOf(mostAtOnce = 2, slots = 16) {
  const clock = new ManualClock();
  return { clock, limiter: new ClusterLimiter({ clock, slots, mostAtOnce: () => mostAtOnce, random: () => 0 }) };
}
const forEver = () => new Promise<string>(() => undefined);

describe('the limiter of the clusters', () => {
  it('lets no cluster take more than its part of the places', async () => {
    const { limiter } = limiterOf(2);
    const stuck = Promise.withResolvers<string>();
    const running = [1, 2].map(() => limiter.run('far', () => stuck.promise));
    const parked = [1, 2].map(() => limiter.run('far', done));
    expect(await limiter.run('far', done), 'a fifth at once').toEqual({ admitted: false, againAfterMs: 262 });
    expect(await limiter.run('near', done), 'another cluster').toEqual({ admitted: true, value: 'done' });
    stuck.resolve('late');
    expect(await Promise.all(running)).toEqual([1, 2].map(() => ({ admitted: true, value: 'late' })));
    expect(await Promise.all(parked)).toEqual([1, 2].map(() => ({ admitted: true, value: 'done' })));
    expect(await limiter.run('far', done)).toEqual({ admitted: true, value: 'done' });
  });

  it('asks a cluster that does not answer less and less often', async () => {
    const { limiter, clock } = limiterOf();
    const pauses: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      await expect(limiter.run('far', failing(unreachable()))).rejects.toThrow('no answer');
      const turnedAway = await limiter.run('far', done);
      const pause = turnedAway.admitted ? 0 : turnedAway.againAfterMs;
      pauses.push(pause);
      await clock.advance(pause);
    }
    expect(pauses).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('takes what failed together for one failure', async () => {
    const { limiter } = limiterOf(3);
    const network = Promise.withResolvers<string>();
    const all = [1, 2, 3].map(() => limiter.run('far', () => network.promise));
    network.reject(unreachable());
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await limiter.run('far', done)).toEqual({ admitted: false, againAfterMs: 2_000 });
  });

  it('lets one ask whether the cluster is back, and all come when it is', async () => {
    const { limiter, clock } = limiterOf();
    await limiter.run('far', failing(unreachable())).catch(() => undefined);
    await clock.advance(2_000);
    const answer = Promise.withResolvers<string>();
    const asking = limiter.run('far', () => answer.promise);
    expect(await limiter.run('far', done), 'while one asks').toEqual({ admitted: false, againAfterMs: 2_000 });
    answer.resolve('back');
    expect(await asking).toEqual({ admitted: true, value: 'back' });
    expect(await limiter.run('far', done)).toEqual({ admitted: true, value: 'done' });
  });

  it('gives the slots of clusters that do not answer to others after two seconds, however many they are', async () => {
    const { limiter, clock } = limiterOf(1, 2);
    const hanging = ['a', 'b', 'c', 'd', 'e'];
    for (const cluster of hanging) void limiter.run(cluster, forEver);
    const near = limiter.run('near', done);
    for (let seconds = 0; seconds < 6; seconds += 2) await clock.advance(2_000);
    expect(await near).toEqual({ admitted: true, value: 'done' });
    const slow = await limiter.run('a', done);
    expect(slow.admitted, 'one that still waits').toBe(false);
  });

  it('does no more for a slow cluster at once than a little, and all again once it is quick', async () => {
    const { limiter, clock } = limiterOf(8, 16);
    const slow = Promise.withResolvers<string>();
    const running = [1, 2].map(() => limiter.run('far', () => slow.promise));
    expect((await limiter.run('far', done)).admitted, 'before it is slow').toBe(true);
    await clock.advance(2_000);
    expect((await limiter.run('far', done)).admitted, 'while it is slow').toBe(false);
    slow.resolve('late');
    await Promise.all(running);
    expect((await limiter.run('far', done)).admitted, 'once it is quick').toBe(true);
  });

  it('does not take a cluster for slow while this process is busy itself', async () => {
    const clock = new ManualClock();
    let idleMs = 0;
    const limiter = new ClusterLimiter({ clock, mostAtOnce: () => 3, idleMs: () => idleMs });
    const running = Promise.withResolvers<string>();
    const both = [1, 2].map(() => limiter.run('far', () => running.promise));
    await clock.advance(10_000);
    expect((await limiter.run('far', done)).admitted, 'while the process is busy').toBe(true);
    idleMs = 1_000;
    await clock.advance(2_000);
    expect((await limiter.run('far', done)).admitted, 'once it has waited for the cluster').toBe(false);
    running.resolve('late');
    await Promise.all(both);
  });

  it('ends what is parked with the service, and gives the place to the next', async () => {
    const { limiter } = limiterOf(1);
    const stuck = Promise.withResolvers<string>();
    const running = limiter.run('far', () => stuck.promise);
    const ending = new AbortController();
    const parked = limiter.run('far', done, ending.signal);
    ending.abort(new Error('the service ends'));
    await expect(parked).rejects.toThrow('the service ends');
    const next = limiter.run('far', done);
    stuck.resolve('late');
    expect(await Promise.all([running, next])).toEqual([
      { admitted: true, value: 'late' },
      { admitted: true, value: 'done' },
    ]);
  });

  it('turns away what was parked where the cluster stops answering', async () => {
    const { limiter } = limiterOf(1);
    const stuck = Promise.withResolvers<string>();
    const running = limiter.run('far', () => stuck.promise);
    const parked = limiter.run('far', done);
    stuck.reject(unreachable());
    await expect(running).rejects.toThrow('no answer');
    expect(await parked).toEqual({ admitted: false, againAfterMs: 2_000 });
    expect(await limiter.run('far', done)).toEqual({ admitted: false, againAfterMs: 2_000 });
  });

  it('has the jobs of a cluster whose work took long come back soon, since that may be over', async () => {
    const { limiter, clock } = limiterOf(4);
    void limiter.run('far', forEver);
    for (let n = 0; n < 20; n += 1) {
      const work = Promise.withResolvers<string>();
      const slow = limiter.run('far', () => work.promise);
      await clock.advance(8_000);
      work.resolve('after long');
      await slow;
    }
    void limiter.run('far', forEver);
    const pauses = [];
    for (let n = 0; n < 30; n += 1) {
      const turnedAway = await limiter.run('far', done);
      pauses.push(turnedAway.admitted ? 0 : turnedAway.againAfterMs);
    }
    expect(pauses.slice(0, 3)).toEqual([500, 750, 1_000]);
    expect(Math.max(...pauses)).toBe(7_750);
  });

  it('has the jobs of a cluster with thousands of namespaces come back a few times, not all the time', async () => {
    const { limiter, clock } = limiterOf(8);
    const workMs = 20;
    let [waiting, tries, done] = [5_000, 0, 0];
    const attempt = async (): Promise<void> => {
      tries += 1;
      const limited = await limiter.run('wide', () => clock.sleep(workMs));
      if (!limited.admitted) clock.after(limited.againAfterMs, () => void attempt());
      else [waiting, done] = [waiting - 1, done + 1];
    };
    for (let job = 0; job < 5_000; job += 1) void attempt();
    let seconds = 0;
    for (; waiting > 0 && seconds < 300; seconds += 0.02) await clock.advance(workMs);
    expect([done, waiting]).toEqual([5_000, 0]);
    expect(tries).toBeLessThan(4 * 5_000);
    expect(seconds, 'the slots of the cluster are used').toBeLessThan((2.5 * 5_000 * workMs) / 8 / 1_000);
  });

  it.each([
    ['a refusal is an answer', forbidden()],
    ['a mistake of ours says nothing about the cluster', new TypeError('ours')],
    ['an answer that is too large is an answer', new KubeApiError('far', 0, 'ResponseTooLarge', 'large')],
  ])('keeps a cluster open: %s', async (_reason, error) => {
    const { limiter } = limiterOf();
    await expect(limiter.run('far', failing(error))).rejects.toThrow(error);
    expect(await limiter.run('far', done)).toEqual({ admitted: true, value: 'done' });
  });
});
