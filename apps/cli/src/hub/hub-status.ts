import { askHub } from './ask-hub.js';
import { type HubCheck, hubHealth } from './hub-health.js';

/** One address of the hub: whether its services are well, and how many jobs wait in the queues. */
export type HubStatus = Readonly<
  | {
      url: string;
      reached: false;
      /** The reason that its answer does not count; absent if it does not answer. */
      because?: string;
    }
  | {
      url: string;
      reached: true;
      ready: boolean;
      /** Checks that are not up, or up but for a part. */
      complaints: readonly string[];
      queues: readonly QueueStatus[];
      /** Names of the clusters that it manages; absent if it does not report them. */
      clusters?: readonly string[];
      /** The hub shows the names of its clusters only to clients with a token. */
      withheld?: true;
    }
>;
export type QueueStatus = Readonly<{ queue: string; waiting: number; active: number; delayed: number; failed: number }>;

/** Asks health and metrics of one address. Never rejects. */
export async function hubStatus(url: string, token?: string): Promise<HubStatus> {
  const [health, metrics] = await Promise.all([hubHealth(url, token), askHub(url, '/metrics', token)]);
  if (!health.reached || !metrics.reached) return { url, reached: false };
  const { ready, checks } = health;
  const complaints = checks
    .filter(({ status }) => status !== 'up')
    .map(({ name, status, detail }) => `${name} ${status}${detail === '' ? '' : `: ${detail}`}`);
  const base = { url, reached: true as const, ready, complaints, queues: queuesOf(metrics.text) };
  if (health.withheld) return { ...base, withheld: true };
  const clusters = managedClusters(checks);
  return clusters === undefined ? base : { ...base, clusters };
}

function managedClusters(checks: readonly HubCheck[]): readonly string[] | undefined {
  const reported = checks.flatMap(({ clusters }) => (clusters === undefined ? [] : [clusters]));
  return reported.length === 0 ? undefined : [...new Set(reported.flat())].sort();
}

const COUNT = /^bullmq_job_count\{([^}]*)\} (\d+)$/gm;

function queuesOf(metrics: string): QueueStatus[] {
  const counts = new Map<string, Record<string, number>>();
  for (const [, labels = '', count] of metrics.matchAll(COUNT)) {
    const queue = /queue="([^"]*)"/.exec(labels)?.[1] ?? '';
    const state = /state="([^"]*)"/.exec(labels)?.[1] ?? '';
    counts.set(queue, { ...counts.get(queue), [state]: Number(count) });
  }
  return [...counts].map(([queue, { waiting = 0, active = 0, delayed = 0, failed = 0 }]) => {
    return { queue, waiting, active, delayed, failed };
  });
}
