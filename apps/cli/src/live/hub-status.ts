import { z } from 'zod';

/** One address of the hub: whether its services are well, and how many jobs wait in the queues. */
export type HubStatus = Readonly<
  | {
      url: string;
      reached: false;
      /** Why what it answers does not count; absent where it does not answer. */
      because?: string;
    }
  | {
      url: string;
      reached: true;
      ready: boolean;
      /** Checks that are not up, or up but for a part. */
      complaints: readonly string[];
      queues: readonly QueueStatus[];
      /** Names of the clusters that it manages; absent where it does not report them. */
      clusters?: readonly string[];
    }
>;
export type QueueStatus = Readonly<{ queue: string; waiting: number; active: number; delayed: number; failed: number }>;

const Detail = z.looseObject({
  status: z.string(),
  detail: z.string().optional(),
  clusters: z.array(z.string()).optional(),
});
const Health = z.looseObject({
  status: z.string(),
  details: z.record(z.string(), Detail).optional(),
});
const ANSWER_WITHIN_MS = 2_500;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Asks health and metrics of one address. Never rejects. */
export async function hubStatus(url: string): Promise<HubStatus> {
  try {
    const [health, metrics] = await Promise.all([read(`${url}/readyz`), read(`${url}/metrics`)]);
    const { status, details = {} } = Health.parse(JSON.parse(health));
    const complaints = Object.entries(details)
      .filter((entry) => entry[1].status !== 'up')
      .map(([name, { status: standing, detail = '' }]) => `${name} ${standing}${detail === '' ? '' : `: ${detail}`}`);
    const base = { url, reached: true as const, ready: status === 'ok', complaints, queues: queuesOf(metrics) };
    const clusters = managedClusters(details);
    return clusters === undefined ? base : { ...base, clusters };
  } catch {
    return { url, reached: false };
  }
}

function managedClusters(details: NonNullable<z.infer<typeof Health>['details']>): readonly string[] | undefined {
  const reported = Object.values(details).flatMap(({ clusters }) => (clusters === undefined ? [] : [clusters]));
  return reported.length === 0 ? undefined : [...new Set(reported.flat())].sort();
}

/** A service that is not ready answers 503 with the same body. */
async function read(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const text = await response.text();
  if (text.length > MAX_CHARACTERS) throw new RangeError(`${url} answers with more than 16 MiB`);
  return text;
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
