import { beforeEach, describe, expect, it } from 'vitest';
import type { Action } from '#core/kernel/actions/action';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { Patience } from '#platform/fairness/patience';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { PassReader } from './pass-reader.js';
import { DecidedOnCache, perform } from './perform.js';
import type { RoundInput } from './stage.js';

const REF = { apiVersion: 'v1', kind: 'ConfigMap', name: 'chart', namespace: 'sea' } as const;
const chart: KubernetesObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart', namespace: 'sea' } };
const LOCKED: Action = { do: 'delete', ref: REF, propagation: 'Background', uid: 'u', resourceVersion: '7' };
const UNLOCKED: Action = { do: 'delete', ref: REF, propagation: 'Background', uid: 'u' };

describe('a deletion that was decided on the cache', () => {
  const log: string[] = [];
  let held: readonly KubernetesObject[];
  let epoch: number;
  let reader: PassReader;
  let input: RoundInput;

  beforeEach(() => {
    log.splice(0);
    held = [chart];
    epoch = 0;
    reader = new PassReader({
      get: async () => void log.push('get'),
      list: async () => {
        log.push('list');
        return { items: [], resourceVersion: '1' };
      },
      serverVersion: async () => 'v1',
      epoch: () => epoch,
      cache: {
        get: () => ({ found: held[0] }),
        list: () => held,
        noteWritten: (object) => void log.push(`written ${object.metadata.deletionTimestamp}`),
        noteDeleted: ({ name }) => {
          log.push(`deleted ${name}`);
          held = [];
        },
      },
    });
    const client = {
      delete: async (_: unknown, { resourceVersion }: { resourceVersion?: string }) => {
        log.push(`delete version ${resourceVersion}`);
        return true;
      },
    } as unknown as KubeClient;
    input = { client, reader, now: new Date(0), signal: new AbortController().signal, patience: new Patience() };
  });

  it('is not sent without a lock', async () => {
    await expect(perform(input, [UNLOCKED])).rejects.toThrow(DecidedOnCache);
    expect(log).toEqual([]);
  });

  it('is sent with a lock, and the cache shows it at once', async () => {
    expect(await reader.list(REF)).toEqual([chart]);
    await perform(input, [LOCKED]);
    expect(await reader.list(REF)).toEqual([]);
    expect(log).toEqual(['delete version 7', 'deleted chart']);
    expect(reader.live).toBe(false);
  });

  it('is not sent once the API server went back, and what was read is read again from there', async () => {
    expect(await reader.list(REF)).toEqual([chart]);
    epoch += 1;
    await expect(perform(input, [LOCKED])).rejects.toThrow(DecidedOnCache);
    expect(log).toEqual([]);
    reader.turn(new Date(0));
    expect(await reader.list(REF)).toEqual([]);
    expect(log).toEqual(['list']);
    await perform(input, [LOCKED]);
    expect(log.at(1)).toBe('delete version 7');
  });
});
