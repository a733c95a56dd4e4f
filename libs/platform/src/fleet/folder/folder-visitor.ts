import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import {
  type KindRef,
  KubeClient,
  type KubernetesList,
  type ListReading,
  type WatchEvent,
  type WriteOptions,
  type Written,
} from '../../kube/client/kube-client.port.js';
import { ReadBudget } from '../../kube/limits/read-budget.js';
import { checkedObject } from '../objects/checked-object.js';
import { TableClient } from '../objects/table-client.js';
import { checkFolder, lockPath, statusFolder } from './fleet-folder.js';
import { DECISIONS_FOLDER, isDecisionFile, listFolder } from './folder-files.js';
import { type HubOfFolder, hubOfFolder } from './folder-lock.js';
import { FolderState } from './folder-state.js';
import { KeptObjects, replaceFile } from './kept-objects.js';

type FolderVisitorOptions = Readonly<{
  path: string;
  clock: Clock;
  /** Files that cannot be read: the state before them is shown. */
  onProblem: (problem: string) => void;
  /** Called for an object without effect in its place. */
  onNote: (note: string) => void;
}>;

/** A command asks for many lists at one time. */
const FRESH_MS = 500;
const NAME_CHARACTERS = 5;
const DECISION = 'FleetDecision';

/**
 * A fleet in files as a command sees it, next to the process that uses it or without one. It reads all, and
 * writes decisions.
 */
export class FolderVisitor extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  #client: Promise<TableClient> | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #said = '';
  #noted: ReadonlySet<string> = new Set();

  private constructor(private readonly options: FolderVisitorOptions) {
    super();
    this.cluster = options.path;
    this.budget = new ReadBudget(options.path);
  }

  /**
   * Opens the folder.
   *
   * @throws FleetFolderError if there is no such folder
   */
  static async open(options: FolderVisitorOptions): Promise<FolderVisitor> {
    await checkFolder(options.path);
    return new FolderVisitor(options);
  }

  /** True if a hub uses the folder now. */
  async hasHub(): Promise<boolean> {
    return (await this.hub()).holder !== undefined;
  }

  /** The process that uses the folder, or since when none does. */
  hub(): Promise<HubOfFolder> {
    return hubOfFolder(lockPath(this.options.path));
  }

  async get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    return (await this.#fresh()).get<T>(ref);
  }

  async list<T extends KubernetesObject>(
    kind: KindRef,
    options?: ListReading<T>,
  ): Promise<KubernetesList<T> | undefined> {
    return (await this.#fresh()).list<T>(kind, options);
  }

  async serves(kind: KindRef): Promise<boolean> {
    return (await this.#fresh()).serves(kind);
  }

  async create<T extends KubernetesObject>(object: T, { dryRun = false }: WriteOptions = {}): Promise<Written<T>> {
    if (object.kind === 'SelfSubjectReview') return { object: (await ownReview(object)) as T, warnings: [] };
    if (object.kind !== DECISION) throw await this.#refused(object.kind);
    const { generateName = '', ...metadata } = object.metadata;
    const name = metadata.name ?? `${generateName}${randomUUID().slice(0, NAME_CHARACTERS)}`;
    const creationTimestamp = `${this.options.clock.now().toISOString().slice(0, 19)}Z`;
    const named = { ...object, metadata: { ...metadata, name, creationTimestamp } } as KubernetesObject;
    const checked = checkedObject(named, undefined);
    if ('problem' in checked) throw await this.#refused(`${DECISION} ${name}`, checked.problem);
    if (!dryRun) {
      const { path } = this.options;
      await replaceFile(join(path, DECISIONS_FOLDER, `${name}.yaml`), stringify(named, { lineWidth: 0 }), path);
      this.#client = undefined;
    }
    return { object: named as T, warnings: [] };
  }

  async update<T extends KubernetesObject>({ kind }: T): Promise<Written<T>> {
    throw await this.#refused(kind);
  }

  async updateStatus<T extends KubernetesObject>({ kind }: T): Promise<Written<T>> {
    throw await this.#refused(kind);
  }

  async apply<T extends KubernetesObject>({ kind }: T): Promise<Written<T>> {
    throw await this.#refused(kind);
  }

  async patch<T extends KubernetesObject>({ kind, name }: ObjectRef, patch: object): Promise<Written<T>> {
    throw await this.#refused(`${kind} ${name}`, `a fleet in files is changed in its files: ${JSON.stringify(patch)}`);
  }

  async delete({ kind, name }: ObjectRef): Promise<boolean> {
    throw await this.#refused(`${kind} ${name}`);
  }

  // biome-ignore lint/correctness/useYield: refuses before the first event
  async *watch<T extends KubernetesObject>({ kind }: KindRef): AsyncGenerator<WatchEvent<T>> {
    throw await this.#refused(kind);
  }

  async serverVersion(): Promise<string> {
    return (await this.#fresh()).serverVersion();
  }

  actingAs(): KubeClient {
    throw new TypeError('a fleet in files knows no other users');
  }

  async close(): Promise<void> {
    // Nothing is open.
  }

  #fresh(): Promise<TableClient> {
    const now = performance.now();
    if (this.#client !== undefined && now - this.#readAt < FRESH_MS) return this.#client;
    this.#readAt = now;
    this.#client = this.#read();
    return this.#client;
  }

  async #read(): Promise<TableClient> {
    const { path, clock } = this.options;
    const kept = await new KeptObjects(statusFolder(path)).read();
    const state = new FolderState({ folder: path, clock, kept });
    const { files, problems: unlisted } = await listFolder(path);
    const decisions = files.filter((file) => isDecisionFile(path, file));
    const others = files.filter((file) => !isDecisionFile(path, file));
    const problems = unlisted.length > 0 ? unlisted : await state.takeWritten(others, otherClusters(kept));
    if (problems.length > 0) state.takeKept();
    const all = [...problems, ...(await state.takeDecisions(decisions))].join('\n');
    if (all !== '' && all !== this.#said) this.options.onProblem(all);
    this.#said = all;
    for (const note of state.notes) if (!this.#noted.has(note)) this.options.onNote(note);
    this.#noted = new Set(state.notes);
    return new TableClient({ table: state.table, name: path, clock, fieldManager: 'flotilla' });
  }

  async #refused(what: string, why = 'a fleet in files is changed in its files'): Promise<Error> {
    const client = await this.#fresh();
    return client.refusal(422, 'Invalid', `${what}: ${why}`);
  }
}

/** Clusters that a hub has without a file of them. */
const otherClusters = (kept: ReadonlyMap<string, KubernetesObject>): string[] =>
  [...kept.values()].flatMap(({ kind, metadata }) => (kind === 'FleetCluster' ? (metadata.name ?? []) : []));

/** The user of the operating system, and its groups: a folder knows no other users. */
async function ownReview(asked: KubernetesObject): Promise<KubernetesObject> {
  const groups = await promisify(execFile)('id', ['-Gn']).then(
    ({ stdout }) => stdout.trim().split(' '),
    () => [],
  );
  return KubernetesObject.parse({ ...asked, status: { userInfo: { username: userInfo().username, groups } } });
}
