import { describe, expect, it } from 'vitest';
import { type Subject, subjectName } from '#core/kernel/subject/subject';
import { ManualClock } from '#platform/clock/manual-clock';
import { readSettings } from '#platform/config/settings';
import type { Hub } from '#platform/hub/hub';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import { silentLog } from '#platform/telemetry/log.port';
import type { ClusterViews } from '../engine/membership/cluster-views.js';
import { PollerAgreement } from '../engine/passes/poller-agreement.js';
import { passOf } from './pass-of.js';

/** Passes over a cluster without any objects; what they read is noted. */
function emptyCluster() {
  const clock = new ManualClock();
  const problems = new MemoryProblemStore();
  const hub = {
    clock,
    log: silentLog,
    problems,
    extensionProblems: new MemoryProblemStore(),
    queues: memoryQueues(),
    settings: readSettings({}),
  } as unknown as Hub;
  const served: string[] = [];
  const read = new Set<string>();
  const reached: SeenVersions[] = [];
  const client = {
    cluster: 'east',
    serves: async ({ kind }: { kind: string }) => {
      served.push(kind);
      return true;
    },
  } as unknown as KubeClient;
  const reads = {
    get: async ({ kind, name }: { kind: string; name: string }) => void read.add(`${kind} ${name}`),
    list: async ({ kind }: { kind: string }, { namespace = '*' }: { namespace?: string }) => {
      read.add(`${kind}s in ${namespace}`);
      return { items: [], resourceVersion: '1' };
    },
    serverVersion: async () => 'v1.34.0',
  };
  const views = {
    of: () => ({
      reads: (seen: SeenVersions) => {
        reached.push(seen);
        return reads;
      },
    }),
  } as unknown as ClusterViews;
  const pass = passOf({ hub, views, agreement: new PollerAgreement(silentLog, () => 1) });
  const run = (subject: Subject) => pass(client, subject, new AbortController().signal);
  return { run, problems, read, reached, served };
}

describe('the pass of a subject', () => {
  it.each<{ subject: Subject; reads: string }>([
    { subject: { cluster: 'east', namespace: 'harbour' }, reads: 'Subscriptions in harbour' },
    { subject: { cluster: 'east', extension: 'lamp' }, reads: 'ClusterExtension lamp' },
    { subject: { cluster: 'east', objectSet: 'lamp-1' }, reads: 'ClusterObjectSet lamp-1' },
  ])('is that of its kind, and ends where nothing is there: $reads', async ({ subject, reads }) => {
    const { run, read } = emptyCluster();
    expect(await run(subject)).toMatchObject({ result: 'done' });
    expect([...read]).toContain(reads);
  });

  it.each<Subject>([
    { cluster: 'east', namespace: 'harbour' },
    { cluster: 'east', extension: 'lamp' },
    { cluster: 'east', objectSet: 'lamp-1' },
  ])('reads a cache that has reached what the poller has seen of %o', async (subject) => {
    const { run, problems, reached } = emptyCluster();
    const seen = { ClusterServiceVersion: '42' };
    await problems.putSeen('east', subjectName(subject), seen);
    await problems.putSeen('east', 'another', { ClusterServiceVersion: '43' });
    await run(subject);
    expect(reached).toEqual([seen]);
  });

  it('finds out the global catalog namespace of a cluster once', async () => {
    const { run, read, served } = emptyCluster();
    await run({ cluster: 'east', namespace: 'harbour' });
    await run({ cluster: 'east', namespace: 'quay' });
    expect(served).toHaveLength(1);
    expect([...read]).toContain('CatalogSources in openshift-marketplace');
  });
});
