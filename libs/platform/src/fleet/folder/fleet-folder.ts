import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import { fileReason } from '../../files/file-tree.error.js';
import type { KubeClient } from '../../kube/client/kube-client.port.js';
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
import { FolderLock } from './folder-lock.js';
import { refTo } from './folder-objects.js';
import { FolderState, isPeoples } from './folder-state.js';
import { KeptObjects } from './kept-objects.js';

export type FleetFolderOptions = Readonly<{ path: string; clock: Clock; log: Log }>;

/** Files are polled so often. */
const POLL_EVERY_MS = 2_000;
/** The lock is renewed so often. */
const RENEW_EVERY_MS = 10_000;
const LOCK = 'lock';

/**
 * A fleet in files: the objects of people are their YAML below a folder, which is read and never written;
 * what the hub makes lies in `status/`, and decisions in `decisions/`. One process uses it at a time.
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
  #said = '';
  #isOurs = true;
  #renewedAt: number;
  #cancel: () => void = () => undefined;
  #polling: Promise<void> = Promise.resolve();
  #isStopped = false;

  private constructor(
    private readonly options: FleetFolderOptions,
    private readonly lock: FolderLock,
    private readonly state: FolderState,
    kept: KeptObjects,
  ) {
    this.#kept = kept;
    this.#renewedAt = this.#now();
    state.table.onEvent(({ type, object }) => {
      if (isFleetKind(object.apiVersion, object.kind))
        kept.keep(refTo(object), type === 'DELETED' ? undefined : object);
    });
  }

  /**
   * Reads the folder, and keeps other processes out of it. @throws FleetFolderError where it cannot be read,
   * an object in it is none, or another process uses it
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
      await lock.release();
      throw error;
    }
  }

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

  /** Why what lies in the folder is not all taken over; undefined where it is. */
  get problem(): string | undefined {
    const all = [...this.#problems, ...this.#decisionProblems];
    return all.length === 0 ? undefined : all.join('\n');
  }

  /** Clusters of the hub that belong to the fleet though no file names them. */
  withClusters(names: () => readonly string[]): void {
    this.#others = names;
    this.state.takeOthers(names());
  }

  /** Polls the files from now on. */
  start(): void {
    if (this.#isStopped) return;
    this.#cancel = this.options.clock.after(POLL_EVERY_MS, () => {
      this.#polling = this.poll().finally(() => this.start());
    });
  }

  /** What was begun is written; then other processes may use the folder. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#polling;
    await this.#kept.whenAllKept();
    await this.lock.release();
  }

  /** Takes over what has changed, once the files are the same from one poll to the next. */
  async poll(): Promise<void> {
    try {
      await this.#renew();
      if (this.#isOurs) this.#kept.retryFailed();
      const listing = await listFolder(this.options.path);
      await this.#takeDecisions(listing);
      const stamp = stampOf(peoples(this.options.path, listing));
      const isSettled = stamp === this.#seen;
      this.#seen = stamp;
      if (isSettled && stamp !== this.#taken) await this.#takeWritten(listing, stamp);
      else this.state.takeOthers(this.#others());
      this.#report();
    } catch (error) {
      this.options.log.warn({ error, folder: this.options.path }, 'the fleet’s folder could not be read');
    }
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
    const problem = this.problem ?? '';
    if (problem === this.#said) return;
    this.#said = problem;
    const { log, path: folder } = this.options;
    if (problem === '') log.info({ folder }, 'all files of the fleet are taken over again');
    else
      log.warn(
        { folder, problem },
        `files of the fleet are not taken over, and what they said before holds: ${problem}`,
      );
  }

  async #renew(): Promise<void> {
    if (this.#now() - this.#renewedAt < RENEW_EVERY_MS) return;
    this.#renewedAt = this.#now();
    const wasOurs = this.#isOurs;
    this.#isOurs = await this.lock.renew();
    const { log, path: folder } = this.options;
    if (wasOurs && !this.#isOurs)
      log.error({ folder }, 'another process uses the fleet’s folder: nothing more is written');
  }

  #guard({ kind, name, namespace }: ObjectRef, part: WrittenPart | 'finalizers'): void {
    const { table } = this.state;
    if (!this.#isOurs) throw table.refusal(503, 'ServiceUnavailable', 'another process uses the folder');
    if (!isPeoples(kind) || part !== 'object') return;
    const full = namespace === undefined ? name : `${namespace}/${name}`;
    throw table.refusal(403, 'Forbidden', `${kind} ${full} is written by people: change its file`);
  }

  #now(): number {
    return this.options.clock.now().getTime();
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
