import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import { fileReason } from '../../files/file-tree.error.js';
import type { KubeClient } from '../../kube/client/kube-client.port.js';
import type { HealthCheck } from '../../telemetry/health-check.js';
import type { Log } from '../../telemetry/log.port.js';
import { isFleetKind } from '../objects/checked-object.js';
import type { WrittenPart } from '../objects/object-table.js';
import { TableClient } from '../objects/table-client.js';
import { FleetFolderError } from './fleet-folder.error.js';
import {
  decisionTroubles,
  type FolderFile,
  type FolderListing,
  isDecisionFile,
  listFolder,
  STATUS_FOLDER,
  stampOf,
} from './folder-files.js';
import { folderHealth } from './folder-health.js';
import { FolderLock } from './folder-lock.js';
import { refTo } from './folder-objects.js';
import { FolderState, isPeoples } from './folder-state.js';
import { KeptObjects } from './kept-objects.js';

type FleetFolderOptions = Readonly<{ path: string; clock: Clock; log: Log }>;

/** Files are polled so often. */
const POLL_EVERY_MS = 2_000;
/**
 * A process with a deleted lock finds that out with its next poll, and rewrites the lock. A process that
 * finds no lock waits so long for it.
 */
const SURE_AFTER_MS = 5_000;
const LOCK = 'lock';
const NO_LOCK = 'the lock of this hub is not in the folder: status/ was deleted, or another process uses it';

/**
 * A fleet in files. The objects of people are their YAML below a folder; the hub reads it and never writes
 * it. The hub's own objects are in `status/`, and decisions in `decisions/`. One process uses the folder at a
 * time.
 */
export class FleetFolder {
  readonly #kept: KeptObjects;
  readonly #applied = new Map<string, Readonly<Record<string, unknown>>>();
  #others: () => readonly string[] = () => [];
  #seen = '';
  #taken = '';
  #decisionsTaken = '';
  #problems: readonly string[] = [];
  #decisionProblems: readonly string[] = [];
  /** The reason why the last poll did not complete. */
  #trouble: string | undefined;
  #said = '';
  #noted: readonly string[] = [];
  #isLost = false;
  #hasUsed = false;
  #cancel: () => void = () => undefined;
  #polling: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #lost = Promise.withResolvers<FleetFolderError>();

  private constructor(
    private readonly options: FleetFolderOptions,
    private readonly lock: FolderLock,
    private readonly state: FolderState,
    kept: KeptObjects,
  ) {
    this.#kept = kept;
    state.table.onEvent(({ type, object }) => {
      if (isFleetKind(object.apiVersion, object.kind))
        kept.keep(refTo(object), type === 'DELETED' ? undefined : object);
    });
  }

  /**
   * Reads the folder, and keeps other processes out of it.
   *
   * @throws FleetFolderError if it cannot be read, an object in it is none, or another process uses it
   */
  static async open(options: FleetFolderOptions): Promise<FleetFolder> {
    const { path, clock } = options;
    await checkFolder(path);
    const kept = new KeptObjects(statusFolder(path));
    const lock = await FolderLock.take(lockPath(path));
    try {
      const stored = await kept.read();
      const state = new FolderState({ folder: path, clock, kept: stored });
      const folder = new FleetFolder(options, lock, state, kept);
      await folder.#begin(stored);
      return folder;
    } catch (error) {
      await lock.release(false);
      throw error;
    }
  }

  /** False if another process may use the folder because its lock was deleted: {@link makeSure} finds out. */
  get isSure(): boolean {
    return this.lock.isSure;
  }

  /**
   * Settles once no other process uses the folder; before that nothing may act.
   *
   * @throws FleetFolderError if another process does
   */
  async makeSure(): Promise<void> {
    if (!this.isSure) {
      await new Promise<void>((resolve) => void this.options.clock.after(SURE_AFTER_MS, resolve));
      await this.lock.makeSure();
    }
    this.#hasUsed = true;
  }

  /** Settles with why, once another process has the folder: nothing may act any more. */
  get whenLost(): Promise<FleetFolderError> {
    return this.#lost.promise;
  }

  readonly check: HealthCheck = {
    name: 'fleet-folder',
    check: async () => {
      const { notes } = this.state;
      return folderHealth({ folder: this.options.path, problem: this.problem, notes, isLost: this.#isLost });
    },
  };

  /** A client of the fleet's objects, for a service of this process. */
  client(fieldManager: string): KubeClient {
    const { clock, path } = this.options;
    return new TableClient({
      ...{ table: this.state.table, name: `fleet ${path}`, clock, fieldManager, applied: this.#applied },
      guard: (ref, part) => this.#guard(ref, part),
      whenKept: (ref) => this.#kept.whenKept(ref),
    });
  }

  /** The contexts that FleetClusters of the files name. */
  get contexts(): readonly string[] {
    return this.state.contexts;
  }

  /** The reason why some content of the folder is not taken over. Undefined if all is. */
  get problem(): string | undefined {
    const trouble = this.#trouble === undefined ? [] : [this.#trouble];
    const all = [...trouble, ...this.#problems, ...this.#decisionProblems];
    return all.length === 0 ? undefined : all.join('\n');
  }

  /** Clusters of the hub that belong to the fleet though no file names them. */
  withClusters(names: () => readonly string[]): void {
    this.#others = names;
    this.state.takeOthers(names());
  }

  /** Polls the files from now on. */
  start(): void {
    if (this.#isStopped || this.#isLost) return;
    this.#hasUsed = true;
    this.#cancel = this.options.clock.after(POLL_EVERY_MS, () => {
      this.#polling = this.poll().finally(() => this.start());
    });
  }

  /** Finishes the writes that have begun. Other processes may use the folder afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#polling;
    await this.#kept.whenAllKept();
    await this.lock.release(this.#hasUsed);
  }

  /** Takes over changes, once the files are the same from one poll to the next. */
  async poll(): Promise<void> {
    try {
      await this.#renew();
      if (this.#isLost) return;
      this.#kept.retryFailed();
      const listing = await listFolder(this.options.path);
      await this.#takeDecisions(listing);
      const stamp = stampOf(peoples(this.options.path, listing));
      const isSettled = stamp === this.#seen;
      this.#seen = stamp;
      if (isSettled && stamp !== this.#taken) await this.#takeWritten(listing, stamp);
      else this.state.takeOthers(this.#others());
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = `${this.options.path}: ${fileReason(error)}`;
    }
    this.#report();
  }

  async #begin(stored: ReadonlyMap<string, KubernetesObject>): Promise<void> {
    const listing = await listFolder(this.options.path);
    this.#seen = stampOf(peoples(this.options.path, listing));
    await this.#takeWritten(listing, this.#seen);
    if (this.#problems.length > 0) throw new FleetFolderError(this.#problems.join('\n'));
    await this.#takeDecisions(listing);
    for (const object of stored.values()) {
      const isGone = this.state.table.get(refTo(object)) === undefined;
      if (isGone && this.#decisionProblems.length === 0) this.#kept.keep(refTo(object), undefined);
    }
    this.#report();
  }

  async #takeWritten(listing: FolderListing, stamp: string): Promise<void> {
    const { files } = peoples(this.options.path, listing);
    this.#taken = stamp;
    this.#problems =
      listing.problems.length > 0 ? listing.problems : await this.state.takeWritten(files, this.#others());
  }

  async #takeDecisions(listing: FolderListing): Promise<void> {
    const files = listing.files.filter((file) => isDecisionFile(this.options.path, file));
    const problems = decisionTroubles(this.options.path, listing);
    const stamp = stampOf({ files, problems });
    // A folder that cannot be read has no decisions, and takes none back.
    if (stamp === this.#decisionsTaken || problems.length > 0) return;
    this.#decisionsTaken = stamp;
    this.#decisionProblems = await this.state.takeDecisions(files);
  }

  #report(): void {
    const { log, path: folder } = this.options;
    for (const note of this.state.notes) if (!this.#noted.includes(note)) log.warn({ folder }, note);
    this.#noted = this.state.notes;
    const problem = this.problem ?? '';
    if (problem === this.#said) return;
    this.#said = problem;
    if (problem === '') log.info({ folder }, 'read all files of the fleet again');
    else
      log.warn(
        { folder, problem },
        `could not read files of the fleet, so their earlier content stays in force: ${problem}`,
      );
  }

  async #renew(): Promise<void> {
    const found = await this.lock.renew();
    const { log, path: folder } = this.options;
    if (found === 'lost') this.#lose();
    if (found !== 'back') return;
    log.warn({ folder }, 'the lock of the fleet’s folder was deleted while this hub runs: status/ is created again');
    for (const object of this.state.table.all()) {
      if (isFleetKind(object.apiVersion, object.kind)) this.#kept.keep(refTo(object), object);
    }
    await this.#kept.whenAllKept();
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    const { log, path: folder } = this.options;
    log.error({ folder }, 'stopped writing: another process uses the folder of the fleet');
    this.#lost.resolve(new FleetFolderError(`another process uses the fleet’s folder ${folder}`));
  }

  #guard({ kind, name, namespace }: ObjectRef, part: WrittenPart | 'finalizers'): void {
    const { table } = this.state;
    if (this.#isLost || !this.lock.isHeld) throw table.refusal(503, 'ServiceUnavailable', NO_LOCK);
    if (!isPeoples(kind) || part !== 'object') return;
    const full = namespace === undefined ? name : `${namespace}/${name}`;
    throw table.refusal(403, 'Forbidden', `${kind} ${full} is managed by its file: change the file`);
  }
}

/** The files of people but decisions. */
function peoples(folder: string, { files, problems }: FolderListing): FolderListing {
  const isTheirs = (file: FolderFile): boolean => !isDecisionFile(folder, file);
  return { files: files.filter(isTheirs), problems };
}

export const statusFolder = (path: string): string => join(path, STATUS_FOLDER);
export const lockPath = (path: string): string => join(statusFolder(path), LOCK);

/** @throws FleetFolderError */
export async function checkFolder(path: string): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    throw new FleetFolderError(`the fleet’s folder ${path}: ${fileReason(error)}`);
  }
  throw new FleetFolderError(`the fleet’s folder ${path}: not a directory`);
}
