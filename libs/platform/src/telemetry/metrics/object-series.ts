import type { Gauge } from 'prom-client';

/** Most shared labels. Beyond it, all are dropped and recreated. */
const MOST_SHARED = 10_000;

/**
 * Labels of objects' series. Clusters beyond the limit share series; labels that name an object are left
 * empty there (why: clusters.md "Bounded series").
 */
export class ObjectLabels {
  readonly #clusters = new Set<string>();
  /** Shared labels of clusters beyond the limit: thousands of objects have the same. */
  readonly #shared = new Map<string, Record<string, string>>();

  constructor(
    private readonly clusterLimit: number,
    /** Labels that name the object. */
    private readonly identity: readonly string[],
  ) {}

  /** Forgets a cluster that has left. Another one may then get series of its own. */
  forget(cluster: string): void {
    this.#clusters.delete(cluster);
  }

  of(cluster: string, labels: Readonly<Record<string, string>>): Record<string, string> {
    if (this.#clusters.size < this.clusterLimit) this.#clusters.add(cluster);
    if (this.#clusters.has(cluster)) return { cluster, ...labels };
    const blank = Object.fromEntries(this.identity.map((name) => [name, '']));
    return this.#once({ cluster: '', ...labels, ...blank });
  }

  #once(labels: Record<string, string>): Record<string, string> {
    const key = JSON.stringify(labels);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    if (this.#shared.size >= MOST_SHARED) this.#shared.clear();
    this.#shared.set(key, labels);
    return labels;
  }
}

/** True if series with these labels stand for objects of many clusters. */
export const isShared = (labels: Readonly<Record<string, string>>): boolean => labels['cluster'] === '';

type Series = { labels: Record<string, string>; value: number };

/**
 * A gauge with one series per object that follows the object: when its labels change, the old series goes.
 * Clusters beyond the limit share series without namespace, name and version. Their value is the sum
 * (why: clusters.md "Bounded series").
 */
export class ObjectSeries {
  readonly #labels: ObjectLabels;
  /** Series by cluster, then by object. */
  readonly #objects = new Map<string, Map<string, Series>>();
  readonly #shared = new Map<string, Series>();

  constructor(
    private readonly gauge: Gauge,
    clusterLimit: number,
    identity: readonly string[],
  ) {
    this.#labels = new ObjectLabels(clusterLimit, identity);
  }

  set(cluster: string, object: string, labels: Readonly<Record<string, string>>, value: number): void {
    this.delete(cluster, object);
    const series = { labels: this.#labels.of(cluster, labels), value };
    const objects = this.#objects.get(cluster) ?? new Map<string, Series>();
    this.#objects.set(cluster, objects.set(object, series));
    if (isShared(series.labels)) this.#addToShared(series.labels, value);
    else this.gauge.set(series.labels, value);
  }

  delete(cluster: string, object: string): void {
    const objects = this.#objects.get(cluster);
    const old = objects?.get(object);
    if (old === undefined) return;
    objects?.delete(object);
    if (isShared(old.labels)) this.#addToShared(old.labels, -old.value);
    else this.gauge.remove(old.labels);
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    for (const object of [...(this.#objects.get(cluster)?.keys() ?? [])]) this.delete(cluster, object);
    this.#objects.delete(cluster);
    this.#labels.forget(cluster);
  }

  #addToShared(labels: Record<string, string>, difference: number): void {
    const key = JSON.stringify(Object.entries(labels).toSorted());
    const shared = this.#shared.get(key) ?? { labels, value: 0 };
    shared.value += difference;
    this.#shared.set(key, shared);
    this.gauge.set(labels, shared.value);
  }
}
