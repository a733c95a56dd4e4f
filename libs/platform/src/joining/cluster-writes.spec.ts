import { describe, expect, it } from 'vitest';
import {
  ClusterHasLeft,
  ClusterLeftToOlm,
  ClusterOfAnotherProcess,
  ClusterPaused,
  ClusterWrites,
} from './cluster-writes.js';

function writesOf(allowed = true) {
  const state = { allowed };
  return { state, writes: new ClusterWrites('east', () => (state.allowed ? undefined : 'left to OLM')) };
}

describe('the writes to a cluster', () => {
  it('are counted while they are under way, those that fail too', async () => {
    const { writes } = writesOf();
    const first = Promise.withResolvers<string>();
    const second = Promise.withResolvers<string>();
    const done = [writes.run(() => first.promise), writes.run(() => second.promise)];
    expect(writes.underWay).toBe(2);
    first.resolve('written');
    expect(await done[0]).toBe('written');
    expect(writes.underWay).toBe(1);
    second.reject(new Error('refused'));
    await expect(done[1]).rejects.toThrow('refused');
    expect(writes.underWay).toBe(0);
  });

  it('are refused, and not sent, while the cluster is left to OLM', async () => {
    const { state, writes } = writesOf(false);
    let sent = 0;
    const write = async () => {
      sent += 1;
    };
    await expect(writes.run(write)).rejects.toBeInstanceOf(ClusterLeftToOlm);
    await expect(writes.run(write)).rejects.toMatchObject({ retry: { afterMs: 60_000 } });
    state.allowed = true;
    await writes.run(write);
    expect(sent).toBe(1);
  });

  it('that are under way when it is left are waited for', async () => {
    const { state, writes } = writesOf();
    const first = Promise.withResolvers<void>();
    const running = writes.run(() => first.promise);
    state.allowed = false;
    let isIdle = false;
    const idle = writes.whenIdle().then(() => {
      isIdle = true;
    });
    await Promise.resolve();
    expect(isIdle).toBe(false);
    first.resolve();
    await Promise.all([running, idle]);
    expect(isIdle).toBe(true);
    await writes.whenIdle();
  });

  it.each([
    ['paused', ClusterPaused],
    ['not owned', ClusterOfAnotherProcess],
  ] as const)('are refused where the cluster is %s', async (why, refusal) => {
    const writes = new ClusterWrites('east', () => why);
    await expect(writes.run(async () => 'sent')).rejects.toBeInstanceOf(refusal);
  });

  it('are refused for good once the cluster has left', async () => {
    const { writes } = writesOf();
    writes.end();
    await expect(writes.run(async () => 'sent')).rejects.toBeInstanceOf(ClusterHasLeft);
  });
});
