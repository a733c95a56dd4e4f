import { describe, expect, it, vi } from 'vitest';
import type { Hub } from '#platform/hub/hub';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import { PATIENCE } from '#testing/patience';
import { extensionDeps } from './extension-deps.js';

const GEAR = { cluster: 'east', extension: 'gear' };

function depsOf(queues = memoryQueues()) {
  const warnings: string[] = [];
  const rolledOut: unknown[] = [];
  const hub = {
    extensionProblems: new MemoryProblemStore(),
    queues,
    log: { ...silentLog, warn: (_fields: unknown, text: string) => void warnings.push(text) },
    metrics: { extensions: { rolledOut: (...given: unknown[]) => void rolledOut.push(given) } },
    refused: { note: () => undefined },
    settings: {
      systemNamespace: 'system',
      helmReleaseNamespace: 'old',
      bundleUnpackTimeout: 1_000,
      extensionSecretInterval: 2_000,
    },
  } as unknown as Hub;
  return { deps: extensionDeps(hub), queues, warnings, rolledOut };
}

describe('what work on ClusterExtensions needs of the hub', () => {
  it('enqueues an extension whose bundle has come', async () => {
    const { deps, queues } = depsOf();
    deps.wake(GEAR);
    await vi.waitFor(async () => expect(await queues.apply.counts()).toMatchObject({ waiting: 1 }), PATIENCE);
    const jobs: unknown[] = [];
    await queues.apply.process(async (job) => void jobs.push(job), { concurrency: 1 });
    await vi.waitFor(() => expect(jobs).toEqual([{ v: 1, ...GEAR }]), PATIENCE);
  });

  it('leaves it to the next pass where the queue is away, and warns', async () => {
    const queues = memoryQueues();
    queues.apply.add = async () => {
      throw new Error('Redis is away');
    };
    const { deps, warnings } = depsOf(queues);
    deps.wake(GEAR);
    await vi.waitFor(
      () => expect(warnings).toEqual(['could not start a pass for a fetched bundle; it waits for the next one']),
      PATIENCE,
    );
  });

  it('takes the settings of the hub, and counts rollouts', () => {
    const { deps, rolledOut } = depsOf();
    expect(deps).toMatchObject({
      systemNamespace: 'system',
      helmReleaseNamespace: 'old',
      unpackTimeoutMs: 1_000,
      secretIntervalMs: 2_000,
    });
    deps.onRolledOut('east', 7);
    expect(rolledOut).toEqual([['east', 7]]);
  });
});
