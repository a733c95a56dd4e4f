import type { Gauge } from 'prom-client';

type Series = { labels: Record<string, string>; value: number };

/**
 * A gauge with one series per object, which follows the object: when its labels change, the old series goes. Clusters
 * beyond the limit share series without namespace, name and version, whose value is the sum (decision 29).
 */
export class ObjectSeries {
  readonly #clusters = new Set<string>();
  readonly #objects = new Map<string, Series>();
  readonly #shared = new Map<string, Series>();

  constructor(
    private readonly gauge: Gauge,
    private readonly clusterLimit: number,
    /** Labels that name the object: left empty where objects share a series. */
    private readonly identity: readonly string[],
  ) {}

  set(cluster: string, object: string, labels: Readonly<Record<string, string>>, value: number): void {
    this.delete(cluster, object);
    const series = { labels: this.#labels(cluster, labels), value };
    this.#objects.set(`${cluster}/${object}`, series);
    if (series.labels['cluster'] === '') this.#addToShared(series.labels, value);
    else this.gauge.set(series.labels, value);
  }

  delete(cluster: string, object: string): void {
    const old = this.#objects.get(`${cluster}/${object}`);
    if (old === undefined) return;
    this.#objects.delete(`${cluster}/${object}`);
    if (old.labels['cluster'] === '') this.#addToShared(old.labels, -old.value);
    else this.gauge.remove(old.labels);
  }

  #labels(cluster: string, labels: Readonly<Record<string, string>>): Record<string, string> {
    if (this.#clusters.size < this.clusterLimit) this.#clusters.add(cluster);
    if (this.#clusters.has(cluster)) return { cluster, ...labels };
    const blank = Object.fromEntries(this.identity.map((name) => [name, '']));
    return { cluster: '', ...labels, ...blank };
  }

  #addToShared(labels: Record<string, string>, difference: number): void {
    const key = JSON.stringify(Object.entries(labels).toSorted());
    const shared = this.#shared.get(key) ?? { labels, value: 0 };
    shared.value += difference;
    this.#shared.set(key, shared);
    this.gauge.set(labels, shared.value);
  }
}
