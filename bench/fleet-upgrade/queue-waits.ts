/** By queue: how many jobs waited at most so many seconds, for each bound of the histogram. */
export type QueueWaits = ReadonlyMap<string, ReadonlyMap<number, number>>;

const BUCKET = /^flotilla_job_wait_seconds_bucket\{([^}]*)\} (\d+)/gm;

/** From the metrics of several services, added up. */
export function queueWaits(metrics: readonly string[]): QueueWaits {
  const queues = new Map<string, Map<number, number>>();
  for (const text of metrics) {
    for (const [, labels = '', count] of text.matchAll(BUCKET)) {
      const queue = /queue="([^"]*)"/.exec(labels)?.[1] ?? '';
      const le = /le="([^"]*)"/.exec(labels)?.[1] ?? '';
      const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
      const buckets = queues.get(queue) ?? new Map<number, number>();
      buckets.set(bound, (buckets.get(bound) ?? 0) + Number(count));
      queues.set(queue, buckets);
    }
  }
  return queues;
}

/** The jobs that began to run between two readings. */
export function waitsBetween(before: QueueWaits, after: QueueWaits): QueueWaits {
  return new Map(
    [...after].map(([queue, buckets]) => [
      queue,
      new Map([...buckets].map(([bound, count]) => [bound, count - (before.get(queue)?.get(bound) ?? 0)])),
    ]),
  );
}

export const ofAllQueues = (waits: QueueWaits): ReadonlyMap<number, number> => {
  const sums = new Map<number, number>();
  for (const buckets of waits.values())
    for (const [bound, count] of buckets) sums.set(bound, (sums.get(bound) ?? 0) + count);
  return sums;
};

export const jobsOf = (buckets: ReadonlyMap<number, number>): number => buckets.get(Number.POSITIVE_INFINITY) ?? 0;

/**
 * Returns the most seconds that this share of the jobs waited, taken evenly inside its bucket; undefined if
 * no job ran.
 */
export function waitQuantile(buckets: ReadonlyMap<number, number>, share: number): number | undefined {
  const wanted = jobsOf(buckets) * share;
  if (wanted === 0) return undefined;
  let [below, counted] = [0, 0];
  for (const [bound, count] of [...buckets].sort(([a], [b]) => a - b)) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return below;
      return below + ((bound - below) * (wanted - counted)) / Math.max(count - counted, 1);
    }
    [below, counted] = [bound, count];
  }
  return below;
}
