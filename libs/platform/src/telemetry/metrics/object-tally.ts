import type { Gauge } from 'prom-client';

type Group = Readonly<Record<string, string>>;

/**
 * A gauge of how many objects of a cluster are in a state: one series per cluster and group, whatever the
 * number of objects. A change of one object costs the same however many there are.
 */
export class ObjectTally {
  /** Groups with a series, by cluster. */
  readonly #groups = new Map<string, Map<string, Group>>();
  /** The group that counts each object, by cluster. */
  readonly #objects = new Map<string, Map<string, Group>>();

  constructor(private readonly gauge: Gauge) {}

  /** Initialises the series of the group at 0, so that it is seen before the first object is counted. */
  begin(cluster: string, group: Group): void {
    const groups = this.#groups.get(cluster) ?? new Map<string, Group>();
    const key = Object.values(group).join('/');
    if (groups.has(key)) return;
    this.#groups.set(cluster, groups.set(key, group));
    this.gauge.inc({ cluster, ...group }, 0);
  }

  /** `group` undefined: the object is not counted any more. */
  set(cluster: string, object: string, group: Group | undefined): void {
    const objects = this.#objects.get(cluster);
    const old = objects?.get(object);
    if (old !== undefined) this.gauge.dec({ cluster, ...old });
    if (group === undefined) {
      objects?.delete(object);
      return;
    }
    this.begin(cluster, group);
    this.gauge.inc({ cluster, ...group });
    if (objects === undefined) this.#objects.set(cluster, new Map([[object, group]]));
    else objects.set(object, group);
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    for (const group of this.#groups.get(cluster)?.values() ?? []) this.gauge.remove({ cluster, ...group });
    this.#groups.delete(cluster);
    this.#objects.delete(cluster);
  }
}
