import type { z } from 'zod';
import { type FleetObject, fleetKey } from '../../kernel/api/fleet/fleet-kinds.js';
import { FleetFiles } from '../controller/record/subjects.js';
import { issueText, readFleetObject } from '../kinds/read-fleet-object.js';
import { durationMs } from '../placement/waves.js';
import { clustersOf, type FleetScenario, numberedClusters, type ScenarioCluster } from './scenario.js';
import { ClustersFile, FaultsFile, type ScriptEntry } from './scenario-schema.js';
import { entryOf } from './script.js';
import { plainClass } from './shown-classes.js';

/** A document, with its position as `file:line`. */
type ScenarioDocument = Readonly<{ value: unknown; where: string }>;

/** A file of scenario settings: its value, and the position of each field. */
export type ScenarioFile = Readonly<{ value: unknown; where: (path: readonly PropertyKey[]) => string }>;

type ScenarioInput = Readonly<{
  manifests: readonly ScenarioDocument[];
  clusters: number | ScenarioFile | undefined;
  faults: ScenarioFile | undefined;
  seed: string;
  until: string | undefined;
}>;

/** Input that cannot be played: one line with its place, and why. */
export class ScenarioProblem extends Error {}

const USUAL_CLUSTERS = 12;
const FIXED_CLASSES = ['only', 'rollback'];

/** Reads and checks all inputs of a run. Throws a {@link ScenarioProblem} if an input is wrong. */
export function readScenario(input: ScenarioInput): FleetScenario {
  const objects = readObjects(input.manifests);
  for (const placed of objects.values()) checkNames(placed, (key) => objects.has(key));
  const clusters = readClusters(
    input.clusters,
    [...objects.values()].map(({ object }) => object),
  );
  const source = input.faults ?? { value: {}, where: () => '--faults' };
  const file = readFile(FaultsFile, source);
  const listed = typeof input.clusters === 'object' ? input.clusters : undefined;
  const check = new ScenarioCheck(objects, clusters, file, source, listed);
  const applied = check.script();
  check.all();
  return {
    objects: [...objects.values()].map(({ object }) => object),
    clusters,
    file,
    applied,
    seed: input.seed,
    until: durationMs(input.until ?? file.until),
  };
}

type Placed = Readonly<{ object: FleetObject; where: string }>;

function readObjects(manifests: readonly ScenarioDocument[]): Map<string, Placed> {
  const objects = new Map<string, Placed>();
  for (const { value, where } of manifests) {
    const read = readFleetObject(value);
    if ('problem' in read) throw new ScenarioProblem(`${where}: ${read.problem}`);
    if ('other' in read) continue;
    const key = fleetKey(read.object);
    const before = objects.get(key);
    if (before !== undefined) throw new ScenarioProblem(`${where}: ${key} is there already, at ${before.where}`);
    objects.set(key, { object: read.object, where });
  }
  return objects;
}

/** The strategy and the catalog that an object names must be there. */
function checkNames({ object, where }: Placed, isThere: (key: string) => boolean): void {
  if (object.kind !== 'FleetOperator' && object.kind !== 'FleetCatalog') return;
  const { namespace } = object.metadata;
  const strategy = object.spec.strategyRef?.name;
  if (strategy !== undefined && !isThere(`FleetStrategy/${namespace}/${strategy}`)) {
    throw new ScenarioProblem(`${where}: spec.strategyRef.name: there is no FleetStrategy ${namespace}/${strategy}`);
  }
  const catalog = object.kind === 'FleetOperator' ? object.spec.catalog.fleetCatalog : undefined;
  if (catalog !== undefined && !isThere(`FleetCatalog/${namespace}/${catalog}`)) {
    throw new ScenarioProblem(`${where}: spec.catalog.fleetCatalog: there is no FleetCatalog ${namespace}/${catalog}`);
  }
}

function readFile<T extends z.ZodType>(schema: T, { value, where }: ScenarioFile): z.infer<T> {
  const parsed = schema.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  throw new ScenarioProblem(`${where(parsed.error.issues[0]?.path ?? [])}: ${issueText(parsed.error)}`);
}

function readClusters(given: ScenarioInput['clusters'], objects: readonly FleetObject[]): ScenarioCluster[] {
  const own = objects.flatMap((object) => (object.kind === 'FleetCluster' ? entryOf(object) : []));
  if (typeof given === 'number') return numberedClusters(given);
  if (given === undefined) return own.length > 0 ? own : numberedClusters(USUAL_CLUSTERS);
  const { clusters } = readFile(ClustersFile, given);
  const all = clusters.flatMap(clustersOf);
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name)) throw new ScenarioProblem(`${given.where(['clusters'])}: cluster ${name} is there twice`);
    names.add(name);
  }
  return all;
}

/** Checks that every object that a scenario names exists. */
class ScenarioCheck {
  readonly #clusters: Set<string>;
  readonly #subjects: Set<string>;
  readonly #present: Map<string, FleetObject>;

  constructor(
    objects: ReadonlyMap<string, Placed>,
    readonly clusters: readonly ScenarioCluster[],
    readonly file: FaultsFile,
    readonly source: ScenarioFile,
    /** The file that lists the clusters, if there is one. */
    readonly listed: ScenarioFile | undefined,
  ) {
    this.#present = new Map([...objects].map(([key, { object }]) => [key, object]));
    this.#clusters = new Set(clusters.map(({ name }) => name));
    this.#subjects = new Set(new FleetFiles([...this.#present.values()]).subjects.keys());
  }

  #fail(path: readonly PropertyKey[], text: string): never {
    throw new ScenarioProblem(`${this.source.where(path)}: ${text}`);
  }

  /** Reads the objects that the script applies, in its order, and remembers the added ones. */
  script(): ReadonlyMap<number, FleetObject> {
    const applied = new Map<number, FleetObject>();
    const there = new Set(this.#clusters);
    const inOrder = [...this.file.script.entries()].sort(([, a], [, b]) => durationMs(a.at) - durationMs(b.at));
    for (const [index, entry] of inOrder) {
      this.#comesAndGoes(entry, index, there);
      if (entry.remove !== undefined && !this.#present.delete(entry.remove)) {
        this.#fail(['script', index, 'remove'], `there is no ${entry.remove}`);
      }
      if (entry.apply !== undefined) {
        const object = this.#applied(entry.apply, index);
        this.#present.set(fleetKey(object), object);
        if (object.kind === 'FleetCluster') {
          there.add(object.metadata.name);
          this.#clusters.add(object.metadata.name);
        }
        applied.set(index, object);
      }
      this.#namesHold(entry, index);
    }
    for (const key of new FleetFiles([...applied.values()]).subjects.keys()) this.#subjects.add(key);
    return applied;
  }

  /** A cluster joins once, until it leaves. */
  #comesAndGoes({ join, leave, remove }: ScriptEntry, index: number, there: Set<string>): void {
    const left = leave ?? (remove?.startsWith('FleetCluster/') === true ? remove.split('/')[1] : undefined);
    if (left !== undefined) there.delete(left);
    if (join === undefined) return;
    if (there.has(join.name)) this.#fail(['script', index, 'join', 'name'], `cluster ${join.name} is there already`);
    there.add(join.name);
    this.#clusters.add(join.name);
  }

  /** Checks that the objects that remain after an entry name only existing objects. */
  #namesHold({ apply, remove }: ScriptEntry, index: number): void {
    if (apply === undefined && remove === undefined) return;
    const path = ['script', index, apply === undefined ? 'remove' : 'apply'];
    for (const object of this.#present.values()) {
      checkNames({ object, where: this.source.where(path) }, (key) => this.#present.has(key));
    }
  }

  #applied(value: unknown, index: number): FleetObject {
    const first = readFleetObject(value);
    const before = 'object' in first ? this.#present.get(fleetKey(first.object)) : undefined;
    const read = before === undefined ? first : readFleetObject(value, before);
    const path = ['script', index, 'apply'];
    if ('problem' in read) return this.#fail(path, read.problem);
    return 'object' in read ? read.object : this.#fail(path, 'people do not write this kind');
  }

  all(): void {
    for (const { name, installed } of this.clusters) {
      const unknown = Object.keys(installed ?? {}).find((key) => !this.#subjects.has(key));
      if (unknown !== undefined) {
        throw new ScenarioProblem(`${this.#placeOf(name)}: installed: there is no subject ${unknown}`);
      }
    }
    for (const index of this.file.targets.keys()) this.#target(index);
    for (const index of this.file.script.keys()) this.#entry(index);
    for (const [index, fault] of this.file.faults.entries()) {
      this.#names(fault.clusters?.names, ['faults', index, 'clusters', 'names']);
      const name = fault.planChanges?.class;
      if (name !== undefined) this.#class(name, this.file.targets, ['faults', index, 'planChanges', 'class']);
    }
  }

  /** Returns the position of a cluster's entry. An entry with a count represents several clusters. */
  #placeOf(name: string): string {
    const { value, where } = this.listed ?? { value: undefined, where: () => '--clusters' };
    const entries = (value as ClustersFile | undefined)?.clusters ?? [];
    const index = entries.findIndex((entry) => clustersOf(entry).some((cluster) => cluster.name === name));
    return `${where(['clusters', index])}: cluster ${name}`;
  }

  #target(index: number): void {
    const target = this.file.targets[index];
    if (target === undefined) return;
    this.#subject(target.subject, ['targets', index, 'subject']);
    const { subject, to } = target;
    const first = this.file.targets.findIndex((one) => one.subject === subject && one.to === to);
    if (first < index) this.#fail(['targets', index], `targets[${first}] is for ${to} of ${subject} already`);
    const classes = target.classes ?? [];
    const twice = classes.findIndex(({ name, differences }, at) =>
      classes
        .slice(0, at)
        .some((one) => one.name === name && (one.differences === undefined || differences === undefined)),
    );
    if (twice >= 0) this.#fail(['targets', index, 'classes', twice], `class ${classes[twice]?.name} is there twice`);
    if (target.needs !== undefined) this.#subject(target.needs.subject, ['targets', index, 'needs', 'subject']);
    for (const [at, { clusters, neighbours = [] }] of (target.classes ?? []).entries()) {
      for (const key of neighbours) this.#subject(key, ['targets', index, 'classes', at, 'neighbours']);
      this.#names(clusters?.names, ['targets', index, 'classes', at, 'clusters', 'names']);
    }
  }

  #subject(key: string, path: readonly PropertyKey[]): void {
    if (!this.#subjects.has(key)) this.#fail(path, `there is no subject ${key}`);
  }

  #names(names: readonly string[] | undefined, path: readonly PropertyKey[]): void {
    for (const name of names ?? []) if (!this.#clusters.has(name)) this.#fail(path, `there is no cluster ${name}`);
  }

  #class(name: string, targets: FaultsFile['targets'], path: readonly PropertyKey[]): void {
    const known = targets.flatMap(({ classes }) => (classes ?? []).map((one) => one.name));
    if (!known.includes(plainClass(name)) && !FIXED_CLASSES.includes(name))
      this.#fail(path, `there is no class ${name}`);
  }

  #entry(index: number): void {
    const entry = this.file.script[index];
    if (entry === undefined) return;
    const path = ['script', index];
    for (const act of ['release', 'install', 'withdraw', 'deprecate'] as const) {
      const named = entry[act];
      if (named !== undefined) this.#subject(named.subject, [...path, act, 'subject']);
    }
    const { label, leave, pause, unpause, accept, decide, install } = entry;
    const named = { label: label?.cluster, leave, pause, unpause, accept, install: install?.cluster };
    for (const [key, name] of Object.entries(named)) if (name !== undefined) this.#names([name], [...path, key]);
    this.#names(decide?.clusters, [...path, 'decide', 'clusters']);
    if (decide?.class === undefined) return;
    const subject = [...this.#subjects].find((key) => isRolloutOf(decide.rollout, key));
    const targets = this.file.targets.filter((one) => subject === undefined || one.subject === subject);
    this.#class(decide.class, targets, [...path, 'decide', 'class']);
  }
}

/** True if a rollout's name is that of a subject, with a number. */
function isRolloutOf(rollout: string, subject: string): boolean {
  const [kind, namespace, name] = subject.split('/');
  const prefix = `${namespace}/${kind === 'FleetCatalog' ? 'catalog-' : ''}${name}-`;
  return rollout.startsWith(prefix) && /^\d+$/.test(rollout.slice(prefix.length));
}
