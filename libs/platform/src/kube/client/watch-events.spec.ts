import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { DEFAULT_READ_LIMITS } from '#core/kernel/read-budget/read-limits';
import { PATIENCE } from '#testing/patience';
import type { ReadBudget } from '../limits/read-budget.js';
import { WatchLines } from '../transport/watch-lines.js';
import { KubeApiError, type WatchEvent } from './kube-client.port.js';
import { WatchEvents, type WatchSource } from './watch-events.js';

const map = (name: string, resourceVersion: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, resourceVersion },
});
const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
const nameOf = (event: WatchEvent<KubernetesObject>) =>
  event.type === 'BOOKMARK' ? event.type : event.object.metadata.name;

/** A watch whose answer a test writes. `rest`: what it waits for after each event. */
function watching({ rest, broken = false }: { rest?: () => Promise<void> | undefined; broken?: boolean } = {}) {
  const body = new PassThrough();
  const state = { isAborted: false, failures: 0 };
  const source: WatchSource = {
    cluster: 'harbour',
    what: 'watch ConfigMap',
    budget: { limits: DEFAULT_READ_LIMITS, restAfterEvent: () => rest?.() } as unknown as ReadBudget,
    get isAborted() {
      return state.isAborted;
    },
    open: () => Promise.resolve(new WatchLines(body, () => !broken)),
    exceeded: () => new KubeApiError('harbour', 0, 'TooLarge', 'too large'),
    known: () => undefined,
    failure: (error) => {
      state.failures += 1;
      return error;
    },
  };
  return { body, state, events: new WatchEvents<KubernetesObject>(source) };
}

describe('the events of a watch', () => {
  it('come in their order, in one piece or in many, and end when the server ends', async () => {
    const { body, events } = watching();
    const found: unknown[] = [];
    const ended = events.each((event) => void found.push(nameOf(event)));
    const text = `${line('ADDED', map('one', '1'))}\n${line('MODIFIED', map('two', '2'))}`;
    body.write(`${text}${line('BOOKMARK', map('', '3')).slice(0, 20)}`);
    await expect.poll(() => found, PATIENCE).toEqual(['one', 'two']);
    body.end(`${line('BOOKMARK', map('', '3')).slice(20)}${line('DELETED', map('one', '4'))}half of`);
    await ended;
    expect(found).toEqual(['one', 'two', 'BOOKMARK', 'one']);
  });

  it('are the same one at a time: the next is not read before it is asked for', async () => {
    const { body, events } = watching();
    body.end(['one', 'two', 'three'].map((name) => line('ADDED', map(name, '1'))).join(''));
    const found: unknown[] = [];
    for await (const event of events) {
      found.push(nameOf(event));
      if (nameOf(event) === 'two') break;
    }
    expect(found).toEqual(['one', 'two']);
    expect(body.destroyed).toBe(true);
  });

  it('wait for what their consumer waits for, and for the rest of the cluster', async () => {
    const rests = Promise.withResolvers<void>();
    const takes = Promise.withResolvers<void>();
    const { body, events } = watching({ rest: () => rests.promise });
    const found: unknown[] = [];
    const ended = events.each((event) => {
      found.push(nameOf(event));
      return takes.promise;
    });
    body.end(line('ADDED', map('one', '1')) + line('ADDED', map('two', '2')));
    await expect.poll(() => found, PATIENCE).toEqual(['one']);
    takes.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(found).toEqual(['one']);
    rests.resolve();
    await ended;
    expect(found).toEqual(['one', 'two']);
  });

  it('fail with what the consumer throws as it is, and nothing is read on', async () => {
    const { body, state, events } = watching();
    const full = new Error('the cache is full');
    const ended = events.each(() => {
      throw full;
    });
    body.write(line('ADDED', map('one', '1')) + line('ADDED', map('two', '2')));
    await expect(ended).rejects.toBe(full);
    expect({ failures: state.failures, destroyed: body.destroyed }).toEqual({ failures: 0, destroyed: true });
  });

  it.each([
    ['an ERROR event', line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' }), { reason: 'Expired' }],
    ['a line that is no event', 'nonsense\n', { name: 'SyntaxError' }],
  ])('fail with %s, after those before it', async (_what, last, error) => {
    const { body, state, events } = watching();
    const found: unknown[] = [];
    const ended = events.each((event) => void found.push(nameOf(event)));
    body.write(line('ADDED', map('one', '1')) + last + line('ADDED', map('two', '2')));
    await expect(ended).rejects.toMatchObject(error);
    expect({ found, failures: state.failures }).toEqual({ found: ['one'], failures: 1 });
  });

  it('fail where the connection broke, but not where the caller had ended the watch', async () => {
    const broken = watching({ broken: true });
    const ended = broken.events.each(() => undefined);
    broken.body.end();
    await expect(ended).rejects.toMatchObject({ failure: 'lost' });
    const left = watching({ broken: true });
    const leaving = left.events.each(() => undefined);
    left.state.isAborted = true;
    left.body.end();
    await leaving;
    expect(left.state.failures).toBe(0);
  });

  it('end at once when they are closed: before the answer, while it rests, and within an event', async () => {
    const early = watching();
    const opening = early.events.each(() => undefined);
    early.events.close();
    await opening;
    await expect.poll(() => early.body.destroyed, PATIENCE).toBe(true);

    const resting = watching({ rest: () => new Promise(() => undefined) });
    const found: unknown[] = [];
    const ended = resting.events.each((event) => void found.push(nameOf(event)));
    resting.body.write(line('ADDED', map('one', '1')) + line('ADDED', map('two', '2')));
    await expect.poll(() => found, PATIENCE).toEqual(['one']);
    resting.events.close();
    await ended;

    const within = watching();
    const none = within.events.each(() => void within.events.close());
    within.body.write(line('ADDED', map('one', '1')));
    await none;
    expect([resting, within].map(({ body }) => body.destroyed)).toEqual([true, true]);
  });
});
