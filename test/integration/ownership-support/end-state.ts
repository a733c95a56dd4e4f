import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';

const VOLATILE = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'generation', 'observedGeneration']);
/** Its value is made of UIDs, too. */
const MARK = 'flotilla.dev/made-by-hub';
const LEFT_OUT = /^(catalogsources\.|events )/;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** What a cluster has, as it is written from now on. */
export class ClusterEndState {
  readonly #objects = new Map<string, string>();

  constructor(cluster: SimulatedCluster) {
    cluster.onChange(({ type, resource, object }) => {
      const { name, namespace = '' } = object.metadata;
      const key = `${resource} ${namespace}/${name}`;
      if (type === 'DELETED') this.#objects.delete(key);
      else this.#objects.set(key, canonicalOf(object));
    });
  }

  /** All objects but catalogs and events, without what differs from run to run: UIDs, revisions, times. */
  get(): readonly string[] {
    const kept = [...this.#objects].filter(([key]) => !LEFT_OUT.test(key));
    return kept.map(([key, text]) => `${key} ${text}`).toSorted(byCodeUnit);
  }
}

function canonicalOf(object: object): string {
  const json = JSON.stringify(object, (key, value: unknown) => {
    if (VOLATILE.has(key) || key === MARK) return undefined;
    return key === 'managedFields' && Array.isArray(value) ? inOrder(value) : value;
  });
  return canonicalJson(JSON.parse(json)).replaceAll(UID, 'UID').replaceAll(TIME, 'TIME');
}

/** Their order is that of their times. */
const inOrder = (entries: readonly object[]): readonly object[] =>
  entries.map((entry) => ({ ...entry, time: '' })).toSorted((a, b) => byCodeUnit(canonicalJson(a), canonicalJson(b)));
