import { FLEET_KINDS } from '#core/kernel/api/fleet/fleet-kinds';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import { ObjectTable, tableKey } from '../objects/object-table.js';
import { type FolderFile, readManifestsOf } from './folder-files.js';
import {
  decisionObjects,
  heldObject,
  refTo,
  unlabelledCluster,
  type WrittenObjects,
  writtenObjects,
} from './folder-objects.js';

const PEOPLES = new Set<string>([...Object.keys(FLEET_KINDS), 'FleetDecision']);
const WRITTEN_KINDS = Object.keys(FLEET_KINDS);
const DECISION_KINDS = ['FleetDecision'];

/** True if people write objects of the kind, in their files. */
export const isPeoples = (kind: string): boolean => PEOPLES.has(kind);

type FolderStateOptions = Readonly<{
  folder: string;
  clock: Clock;
  /** The objects as they were kept, by name. */
  kept: ReadonlyMap<string, KubernetesObject>;
}>;

/**
 * The objects of a folder: those that people wrote in it, with their kept state, and those that the hub has
 * made.
 */
export class FolderState {
  readonly table: ObjectTable;
  /** Objects taken over from files. Undefined before the first of them. */
  #written: ReadonlyMap<string, KubernetesObject> | undefined;

  #notes: readonly string[] = [];

  constructor(private readonly options: FolderStateOptions) {
    const { folder, clock, kept } = options;
    this.table = new ObjectTable({ name: `fleet ${folder}`, clock });
    for (const object of kept.values()) if (!isPeoples(object.kind)) this.table.put(object);
  }

  /** Reads the manifests of people, and takes all of them over, or none: returns why. */
  async takeWritten(files: readonly FolderFile[], others: readonly string[]): Promise<readonly string[]> {
    const { manifests, problems: unread } = await readManifestsOf(files);
    const { objects, problems, notes = [] } = writtenObjects(manifests, (ref) => this.#before(ref));
    this.#notes = notes;
    const all = [...unread, ...problems];
    if (all.length > 0) return all;
    this.#written = objects;
    this.takeOthers(others);
    return [];
  }

  /** Clusters that no file names, in addition to those of the files. */
  takeOthers(others: readonly string[]): void {
    if (this.#written === undefined) return;
    const objects = new Map(this.#written);
    for (const context of others) {
      const cluster = unlabelledCluster(context);
      const key = cluster && tableKey(refTo(cluster));
      if (cluster !== undefined && key !== undefined && !objects.has(key)) objects.set(key, cluster);
    }
    this.#take(WRITTEN_KINDS, { objects, problems: [] });
  }

  /** Takes over every decision that can be read; returns why others cannot. */
  async takeDecisions(files: readonly FolderFile[]): Promise<readonly string[]> {
    const { manifests, problems: unread } = await readManifestsOf(files);
    const found = decisionObjects(manifests, (ref) => this.#before(ref));
    // A decision that cannot be read now may be one that is there already: nothing is taken back by that.
    this.#take(DECISION_KINDS, found, unread.length + found.problems.length > 0);
    return [...unread, ...found.problems];
  }

  /** Takes the state as it was kept, if files cannot be read. */
  takeKept(): void {
    for (const object of this.options.kept.values()) if (isPeoples(object.kind)) this.table.put(object);
  }

  /** Objects that have no effect in their place, with the place. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** The contexts that FleetClusters name. */
  get contexts(): readonly string[] {
    const clusters = [...(this.#written ?? new Map<string, KubernetesObject>()).values()].filter(
      ({ kind }) => kind === 'FleetCluster',
    );
    return clusters.flatMap(({ spec }) => (spec as { access: { context?: string } }).access.context ?? []);
  }

  #before(ref: ObjectRef): KubernetesObject | undefined {
    return this.table.get(ref) ?? this.options.kept.get(tableKey(ref));
  }

  #take(kinds: readonly string[], { objects }: WrittenObjects, mayLack = false): void {
    const now = `${this.options.clock.now().toISOString().slice(0, 19)}Z`;
    for (const object of objects.values()) this.table.put(heldObject(object, this.#before(refTo(object)), now));
    if (mayLack) return;
    for (const object of kinds.flatMap((kind) => this.table.list({ kind }))) {
      if (!objects.has(tableKey(refTo(object)))) this.table.delete(refTo(object));
    }
    for (const [key, object] of this.options.kept) {
      const isLeft = kinds.includes(object.kind) && !objects.has(key) && this.table.get(refTo(object)) === undefined;
      const { finalizers = [] } = object.metadata;
      if (!isLeft || finalizers.length === 0) continue;
      // Its file went while no hub was there: do now the work that must precede its deletion.
      this.table.put(object);
      this.table.delete(refTo(object));
    }
  }
}
