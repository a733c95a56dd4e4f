import type { FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import type { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import type { FleetDecision } from '#core/kernel/api/fleet/fleet-decision';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { ALL_FLEET_KINDS, type AnyFleetKind } from '#core/kernel/api/fleet/fleet-kinds';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { FleetStrategy } from '#core/kernel/api/fleet/fleet-strategy';
import type { FleetWindow } from '#core/kernel/api/fleet/fleet-window';
import type { UnreadableObject } from '#core/kernel/api/fleet/unreadable-object';
import { fieldProblem } from '#core/rollout/kinds/field-problems';
import { issueText } from '#core/rollout/kinds/read-fleet-object';
import { ageOf } from '#core/rollout/placement/acting-operators';
import type { KeptObject } from '#platform/fleet/fleet-store';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

/** The objects of the hub API that a pass of the controller reads, the older ones first. */
export type FleetState = Readonly<{
  clusters: readonly FleetCluster[];
  catalogs: readonly FleetCatalog[];
  operators: readonly FleetOperator[];
  strategies: readonly FleetStrategy[];
  windows: readonly FleetWindow[];
  decisions: readonly FleetDecision[];
  rollouts: readonly FleetRollout[];
  assignments: readonly FleetAssignment[];
  /** Objects that do not follow their schema: they are in none of the lists. */
  unreadable: readonly UnreadableObject[];
}>;

/** The kinds that the controller reads. */
export const ROLLOUT_KINDS = [
  'FleetCluster',
  'FleetCatalog',
  'FleetOperator',
  'FleetStrategy',
  'FleetWindow',
  'FleetDecision',
  'FleetRollout',
  'FleetAssignment',
] as const satisfies readonly AnyFleetKind[];

/** Reads the objects of a kind. */
export type FleetSource = (kind: AnyFleetKind) => Promise<readonly KeptObject[]>;

/** Reads each kind with a request. */
export const listedFrom =
  (hub: KubeClient): FleetSource =>
  async (kind) => {
    const list = await hub.list({ apiVersion: FLEET_API, kind });
    return (list?.items ?? []).map((item) => ({ metadata: item.metadata, open: () => item }));
  };

/** Reads every fleet object of the hub API. */
export const readFleetState = (hub: KubeClient): Promise<FleetState> => new FleetStateReader(listedFrom(hub)).read();

type ReadObject = Readonly<{
  version: string;
  created: string;
  object: object | undefined;
  unreadable: UnreadableObject | undefined;
}>;
type ReadKind = ReadonlyMap<string, ReadObject>;

/** Reads every fleet object; one that has not changed since the last time is not parsed again. */
export class FleetStateReader {
  readonly #known = new Map<AnyFleetKind, ReadKind>();

  constructor(private readonly source: FleetSource) {}

  async read(): Promise<FleetState> {
    const unreadable: UnreadableObject[] = [];
    const all = async <T>(kind: AnyFleetKind): Promise<T[]> => {
      const read = this.#kind(kind, await this.source(kind));
      const found: ReadObject[] = [];
      for (const one of read.values()) {
        if (one.unreadable === undefined) found.push(one);
        else unreadable.push(one.unreadable);
      }
      found.sort((a, b) => (a.created < b.created ? -1 : 1));
      return found.map(({ object }) => object as T);
    };
    return {
      clusters: await all<FleetCluster>('FleetCluster'),
      catalogs: await all<FleetCatalog>('FleetCatalog'),
      operators: await all<FleetOperator>('FleetOperator'),
      strategies: await all<FleetStrategy>('FleetStrategy'),
      windows: await all<FleetWindow>('FleetWindow'),
      decisions: await all<FleetDecision>('FleetDecision'),
      rollouts: await all<FleetRollout>('FleetRollout'),
      assignments: await all<FleetAssignment>('FleetAssignment'),
      unreadable,
    };
  }

  #kind(kind: AnyFleetKind, items: readonly KeptObject[]): ReadKind {
    const before = this.#known.get(kind);
    const read = new Map<string, ReadObject>();
    for (const item of items) {
      const { namespace = '', name = '', uid = '', resourceVersion = '' } = item.metadata;
      const key = `${namespace}/${name}`;
      const version = `${uid} ${resourceVersion}`;
      const known = before?.get(key);
      // An object without a version is one of a test.
      const isKnown = known !== undefined && resourceVersion !== '' && known.version === version;
      read.set(key, isKnown ? known : parsed(kind, version, item));
    }
    this.#known.set(kind, read);
    return read;
  }
}

function parsed(kind: AnyFleetKind, version: string, item: KeptObject): ReadObject {
  const object = item.open();
  // Items of a list do not name their kind everywhere.
  const named = { ...object, apiVersion: FLEET_API, kind };
  const { data, error } = ALL_FLEET_KINDS[kind].safeParse(named);
  // A wave with an unreadable list of clusters leaves them to the waves after it.
  const inField = data?.kind === 'FleetStrategy' ? fieldProblem(data) : undefined;
  const problem = error === undefined ? inField : issueText(error);
  const unreadable = problem === undefined ? undefined : { kind, object: named, problem };
  return { version, created: ageOf(object.metadata), object: data, unreadable };
}
