import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Subject } from '#core/kernel/subject/subject';
import { ClusterContact } from '#lifecycle/engine/membership/cluster-contact';
import { PassRefusals } from '#lifecycle/engine/membership/pass-refusals';
import type { PassOutcome } from '#lifecycle/engine/passes/reconcile-loop';
import { ManualClock } from '#platform/clock/manual-clock';
import type { OlmDetectors } from '#platform/clusters/olm-detectors';
import type { Settings } from '#platform/config/settings';
import { ClusterHasLeft, ClusterLeftToOlm, ClusterOfAnotherProcess } from '#platform/joining/cluster-writes';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import { fixedClusters, type ServiceClusters } from '#platform/membership/service-clusters.port';
import type { FinishedJob } from '#platform/queue/job-queue.port';
import { memoryQueues, type Queues } from '#platform/queue/queues';
import type { Log } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { ApplyProcessor } from './apply.processor.js';

const SHOP: Subject = { cluster: 'east', namespace: 'shop' };
const AWAY = new KubeApiError('east', 0, 'Unreachable', 'connection refused');
const REFUSED = new KubeApiError('east', 403, 'Forbidden', 'not yours');

let clock: ManualClock;
let queues: Queues;
let contact: ClusterContact;
let refusals: PassRefusals;
let passes: string[];
/** How the jobs ended, as the queue counts them. */
let finished: FinishedJob['outcome'][];
let logged: string[];
/** How the next pass ends; an error is thrown. */
let outcome: PassOutcome | Error;
/** Whether Flotilla acts in the clusters, or OLM does. */
let acts: boolean;
/** Clusters that have left, of those that are there. */
let left: Set<string>;
/** Clusters whose shard another process has taken. */
let taken: Set<string>;
/** What each pass waits for before it ends. */
let held: Promise<void> | undefined;

const log: Log = {
  debug: ({ result }, text) => void logged.push(`${text}: ${result}`),
  info: () => undefined,
  warn: ({ error }, text) => void logged.push(`${text}: ${error}`),
  error: () => undefined,
};

beforeEach(async () => {
  clock = new ManualClock();
  finished = [];
  const onFinished = ({ outcome: ends }: FinishedJob) => void finished.push(ends);
  queues = memoryQueues({ clock, log, backoff: { firstMs: 1_000, longestMs: 1_000 }, random: () => 0.5, onFinished });
  const known = fixedClusters([{ cluster: 'east', serverVersion: async () => '1.34.0' } as unknown as KubeClient]);
  const views = { isIdle: () => false, lastSeen: () => undefined, deniedWatches: () => [] };
  contact = new ClusterContact({ clock, log }, known, views);
  refusals = new PassRefusals({ clock, metrics: { troubles: { refused: () => undefined } } }, known, views);
  [passes, logged, outcome, acts, held] = [[], [], { rounds: 1, result: 'done' }, true, undefined];
  left = new Set();
  taken = new Set();
  const hurried = <T>(work: () => Promise<T>) => work();
  const clients = ['east', 'west'].map((cluster) => ({ cluster, hurried }) as unknown as KubeClient);
  const pass = async ({ cluster }: KubeClient, subject: Subject) => {
    passes.push(`${cluster} ${JSON.stringify(subject)}`);
    await held;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const detectors = { status: async () => ({ acts }), againAfterMs: () => 60_000 } as unknown as OlmDetectors;
  const limiter = new ClusterLimiter({ clock, mostAtOnce: () => 2, random: () => 0 });
  const settings = { applyConcurrency: 4 } as Settings;
  await new ApplyProcessor(
    queues,
    settings,
    { clock, log, metrics: new Metrics({ processMetrics: false }) },
    membersOf(clients),
    pass,
    detectors,
    limiter,
    contact,
    refusals,
  ).start();
});
afterEach(() => queues.apply.close());

function membersOf(clients: readonly KubeClient[]): ServiceClusters {
  const all = fixedClusters(clients);
  return {
    ...all,
    known: () => all.known().filter((name) => !left.has(name) && !taken.has(name)),
    client: (name) => (left.has(name) || taken.has(name) ? undefined : all.client(name)),
    hasLeft: (name) => left.has(name),
  };
}

async function applied(subject: Subject = SHOP): Promise<void> {
  await queues.apply.add({ v: 1, ...subject });
  await clock.advance(0);
}
const waiting = async () => (await queues.apply.counts()).delayed;
const isUp = async () => (await contact.check.check()).up;

describe('a job of the queue apply', () => {
  it.each<Subject>([SHOP, { cluster: 'west', extension: 'lamp' }, { cluster: 'east', objectSet: 'lamp-1' }])(
    '%j is a pass over its subject',
    async (subject) => {
      await applied(subject);
      expect(passes).toEqual([`${subject.cluster} ${JSON.stringify(subject)}`]);
      expect(await waiting()).toBe(0);
    },
  );

  it.each<{ ends: PassOutcome; againAfterMs: number }>([
    { ends: { rounds: 2, result: 'waits', waitsFor: 'pods', againAfterMs: 500 }, againAfterMs: 500 },
    { ends: { rounds: 60, result: 'again', againAfterMs: 5_000 }, againAfterMs: 5_000 },
    { ends: { rounds: 1, result: 'refused', error: REFUSED, againAfterMs: 15_000 }, againAfterMs: 15_000 },
  ])('comes again after the pause of its pass: $ends.result', async ({ ends, againAfterMs }) => {
    outcome = ends;
    await applied();
    outcome = { rounds: 1, result: 'done' };
    await clock.advance(againAfterMs - 1);
    expect(passes).toHaveLength(1);
    await clock.advance(1);
    expect(passes).toHaveLength(2);
    expect(await waiting()).toBe(0);
  });

  it('comes no more after a pause of an earlier pass once nothing is left to do', async () => {
    outcome = { rounds: 2, result: 'waits', waitsFor: 'the install to end', againAfterMs: 300_000 };
    await applied();
    expect(await waiting()).toBe(1);
    outcome = { rounds: 2, result: 'done' };
    await applied();
    expect(await waiting()).toBe(0);
    await clock.advance(300_000);
    expect(passes).toHaveLength(2);
  });

  it('comes again after the earlier pause where a later pass waits, too', async () => {
    outcome = { rounds: 2, result: 'waits', waitsFor: 'the install to end', againAfterMs: 300_000 };
    await applied();
    outcome = { rounds: 1, result: 'waits', waitsFor: 'the solution' };
    await applied();
    expect(await waiting()).toBe(1);
  });

  it('does not come again where the pass waits for an event', async () => {
    outcome = { rounds: 1, result: 'waits', waitsFor: 'the solution' };
    await applied();
    expect(await waiting()).toBe(0);
  });

  it('a refusal with a pause is a warning; what the queue retries it logs itself', async () => {
    outcome = { rounds: 1, result: 'refused', error: REFUSED, againAfterMs: 15_000 };
    await applied();
    expect(logged).toEqual(['the API server refused: not yours', 'namespace reconciled: refused']);
  });

  it.each<{ what: string; ends: PassOutcome | Error }>([
    { what: 'fails', ends: { rounds: 1, result: 'failed', error: AWAY } },
    { what: 'is refused without a pause', ends: { rounds: 1, result: 'refused', error: REFUSED } },
    { what: 'throws', ends: new Error('bug') },
  ])('is retried by the queue where its pass $what', async ({ ends }) => {
    outcome = ends;
    await applied();
    expect(await waiting()).toBe(1);
    outcome = { rounds: 1, result: 'done' };
    await clock.advance(120_000);
    expect(passes).toHaveLength(2);
  });
});

describe('a cluster', () => {
  it('that this applier does not manage is named, with those that it manages', async () => {
    await applied({ cluster: 'north', namespace: 'shop' });
    expect(passes).toEqual([]);
    expect(await waiting(), 'the poller may have read a new kubeconfig first').toBe(1);
    for (let second = 0; second < 14; second += 1) await clock.advance(1_000);
    expect([logged, finished.filter((ends) => ends === 'failed')]).toEqual([[], []]);
    for (let second = 0; second < 2; second += 1) await clock.advance(1_000);
    expect(logged.join()).toMatch(/north.*east, west/);
    expect(passes).toEqual([]);
  });

  it('that has left is forgotten with its jobs, unless it joins again a moment later', async () => {
    left.add('east');
    await applied();
    left.clear();
    await clock.advance(2_000);
    expect(passes, 'the poller had read first that it joins').toHaveLength(1);
    left.add('east');
    await clock.advance(60_000);
    await applied();
    for (let second = 0; second < 17; second += 1) await clock.advance(1_000);
    expect([passes.length, await waiting()]).toEqual([1, 0]);
    expect(finished).not.toContain('failed');
  });

  it.each([
    ['a write was withheld', () => new ClusterOfAnotherProcess('east')],
    ['its client was closed', () => new ClusterHasLeft('east')],
    ['the pass was interrupted', () => AWAY],
  ])('whose shard another process takes amid a pass keeps the job: %s', async (_, error) => {
    const passing = Promise.withResolvers<void>();
    held = passing.promise;
    await applied();
    expect(passes).toHaveLength(1);
    taken.add('east');
    outcome = error();
    passing.resolve();
    await clock.advance(0);
    expect(await waiting(), 'the job waits for the process that has the shard').toBe(1);
    [held, outcome] = [undefined, { rounds: 1, result: 'done' }];
    taken.clear();
    await clock.advance(1_000);
    expect([passes.length, await waiting()]).toEqual([2, 0]);
  });

  it('that is left to OLM has no pass, and is checked again later', async () => {
    acts = false;
    await applied();
    expect(passes).toEqual([]);
    acts = true;
    await clock.advance(59_999);
    expect(passes).toEqual([]);
    await clock.advance(1);
    expect(passes).toHaveLength(1);
  });

  it('that is left to OLM in the middle of a pass is no failure', async () => {
    outcome = new ClusterLeftToOlm('east');
    await applied();
    outcome = { rounds: 1, result: 'done' };
    await clock.advance(60_000);
    expect(passes).toHaveLength(2);
    expect(finished).toEqual(['completed', 'completed']);
  });

  it('that does not answer is reported, and asked by one job after growing pauses', async () => {
    outcome = { rounds: 1, result: 'failed', error: AWAY };
    await applied();
    expect(await contact.check.check()).toMatchObject({
      up: false,
      detail: expect.stringContaining('connection refused'),
    });
    await applied({ cluster: 'east', namespace: 'mill' });
    expect(passes, 'it waits for its turn').toHaveLength(1);
    await applied({ cluster: 'west', namespace: 'mill' });
    expect(passes, 'other clusters do not').toHaveLength(2);
  });

  it('that refuses writes over and over is named by health, until a pass ends without a refusal', async () => {
    outcome = { rounds: 1, result: 'refused', error: REFUSED };
    const writes = () => refusals.check.check();
    await applied();
    expect(await writes(), 'one refusal may be of the moment').toMatchObject({ detail: 'no cluster refuses requests' });
    await clock.advance(2_000);
    expect(await writes()).toMatchObject({
      up: true,
      degraded: true,
      detail: expect.stringMatching(
        /^1 of 1 clusters refuse requests: east \(1 subject, namespace shop: .*not yours\)/,
      ),
    });
    outcome = { rounds: 1, result: 'done' };
    await clock.advance(2_000);
    expect(await writes()).toMatchObject({ detail: 'no cluster refuses requests' });
  });

  it('answers where a pass wrote something; one that wrote nothing may have read the cache alone', async () => {
    await applied();
    expect(await isUp()).toBe(false);
    outcome = { rounds: 2, result: 'done' };
    await applied();
    expect(await isUp()).toBe(true);
  });

  it('has no more passes at once than its part of the places', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    for (const namespace of ['a', 'b', 'c']) await applied({ cluster: 'east', namespace });
    expect(passes).toHaveLength(2);
    resolve();
    await clock.advance(1_000);
    expect(passes).toHaveLength(3);
  });
});
