/** A cluster with its longest pass of the last minutes. */
type SlowCluster = Readonly<{ cluster: string; milliseconds: number }>;

const WINDOW_MS = 300_000;
const MOST_REPORTED = 10;

/** Keeps the longest pass of each cluster for five to ten minutes, for the page Hub of the console. */
export class SlowestClusters {
  #now = new Map<string, number>();
  #before = new Map<string, number>();
  #begun = 0;

  took(cluster: string, milliseconds: number, at: Date): void {
    this.#turn(at.getTime());
    this.#now.set(cluster, Math.max(this.#now.get(cluster) ?? 0, milliseconds));
  }

  /** The slowest first. */
  list(at: Date): SlowCluster[] {
    this.#turn(at.getTime());
    const all = new Map(this.#before);
    for (const [cluster, milliseconds] of this.#now) all.set(cluster, Math.max(all.get(cluster) ?? 0, milliseconds));
    return [...all]
      .map(([cluster, milliseconds]) => ({ cluster, milliseconds: Math.round(milliseconds) }))
      .sort((a, b) => b.milliseconds - a.milliseconds || (a.cluster < b.cluster ? -1 : 1))
      .slice(0, MOST_REPORTED);
  }

  #turn(now: number): void {
    const age = now - this.#begun;
    if (age < WINDOW_MS) return;
    this.#before = age < 2 * WINDOW_MS ? this.#now : new Map();
    this.#now = new Map();
    this.#begun = now;
  }
}
