import { describe, expect, it } from 'vitest';
import { AnswerBytes } from './answer-bytes.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Whether each of these has gone on by now; one that did not wait has. */
async function gone(...waits: readonly (Promise<void> | undefined)[]): Promise<readonly boolean[]> {
  const done = waits.map(() => false);
  waits.forEach((wait, index) => {
    void Promise.resolve(wait).then(() => {
      done[index] = true;
    });
  });
  await settle();
  return done;
}

describe('the bytes that are read at a time', () => {
  it('are shared by small answers, of which none waits', async () => {
    const bytes = new AnswerBytes(100);
    expect([30, 30, 40].map((size) => bytes.lease().grow(size))).toEqual([undefined, undefined, undefined]);
  });

  it('belong to the oldest answer once they are too many; the next goes on when it was read', async () => {
    const bytes = new AnswerBytes(100);
    const [first, second] = [bytes.lease(), bytes.lease()];
    const waits = [second.grow(60), first.grow(60), first.grow(60)];
    expect(await gone(...waits)).toEqual([true, true, true]);
    const waiting = second.grow(1);
    expect(await gone(waiting)).toEqual([false]);
    first.release();
    expect(await gone(waiting)).toEqual([true]);
    expect(bytes.sum).toBe(61);
  });

  it('are not held up by an answer of which nothing has come', async () => {
    const bytes = new AnswerBytes(100);
    bytes.lease();
    expect(await gone(bytes.lease().grow(500))).toEqual([true]);
  });

  it('are given up by an answer that waits when its deadline passes', async () => {
    const bytes = new AnswerBytes(100);
    await bytes.lease().grow(200);
    const deadline = new AbortController();
    const waiting = bytes.lease().grow(10, deadline.signal);
    deadline.abort(new Error('late'));
    await expect(waiting).rejects.toThrow('late');
  });

  it('of a short answer never rest; a longer one rests, and no longer than its request lasts', async () => {
    const bytes = new AnswerBytes(1e9, () => new Promise(() => undefined));
    const request = new AbortController();
    const lease = bytes.lease();
    expect(await gone(lease.grow(1_000), lease.grow(200_000))).toEqual([true, true]);
    const resting = lease.grow(300_000, request.signal);
    const ended = expect(resting).rejects.toThrow('the request has ended');
    request.abort(new Error('the request has ended'));
    await ended;
  });
});
