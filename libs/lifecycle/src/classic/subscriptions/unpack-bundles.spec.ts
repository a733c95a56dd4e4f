import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Subscription } from '#core/kernel/api/subscription';
import type { StageInput } from '../namespaces/stage.js';
import { unpackBundles } from './unpack-bundles.js';

const WISH = Subscription.parse({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name: 'lamp', namespace: 'here' },
  spec: { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' },
});
const LAMP = { name: 'lamp.v1.0.0', catalog: 'shelf', catalogNamespace: 'olm' };

describe('unpackBundles', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a pass that is stopped just when the fetch would be told fails with its reason, and with that alone', async () => {
    const stop = new AbortController();
    const contents = {
      contentOf: () =>
        new Promise<never>((_, reject) => {
          stop.signal.addEventListener('abort', () => setTimeout(() => reject(stop.signal.reason), 100));
        }),
    };
    const read = { subscriptions: [WISH], catalogSources: [] };
    const input = { read, now: new Date(), signal: stop.signal } as unknown as StageInput;
    const unpacking = { wanted: [LAMP], subscriptions: [WISH], timeoutMs: 0 } as unknown as Parameters<
      typeof unpackBundles
    >[2];
    const unpacked = unpackBundles(contents as unknown as Parameters<typeof unpackBundles>[0], input, unpacking);
    const failed = expect(unpacked).rejects.toBe('the lock on the job was lost');
    await vi.advanceTimersByTimeAsync(1_950);
    stop.abort('the lock on the job was lost');
    await vi.advanceTimersByTimeAsync(200);
    await failed;
  });
});
