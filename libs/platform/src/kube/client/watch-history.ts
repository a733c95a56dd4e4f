import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs, isOlderThan } from '#core/kernel/history/resource-version';
import { compareLastChange, type HistoryComparison, type LastChange } from '#core/kernel/history/server-history';
import type { Clock } from '../../clock/clock.port.js';
import { type Log, silentLog } from '../../telemetry/log.port.js';

/** The newest change that a watch knows, and the object that it was made to. */
export type SeenChange = LastChange &
  Readonly<{
    namespace?: string | undefined;
    name: string;
    /** True if the object has the content that is held of it. */
    hasContentOf: (object: KubernetesObject) => boolean;
  }>;

/** The kind of the objects of a watch. */
type WatchedKind = Readonly<{ apiVersion: string; kind: string }>;

/** A watch with objects of one history of its server. */
export interface HistoryFollower {
  readonly kind: WatchedKind;
  /** The resourceVersion that it has reached; empty before the first list. */
  version(): string;
  lastChange(): SeenChange | undefined;
  /** All that it holds is of a history that the server does not have. */
  onOtherHistory(): void;
}

/** The lists that show the history of an API server; a client of the cluster reads them. */
type HistoryReader = Readonly<{
  cluster: string;
  /** Resolves to undefined if the cluster does not serve the kind. */
  list: (
    kind: WatchedKind,
    options: Readonly<{ namespace?: string; fieldSelector: string }>,
  ) => Promise<Readonly<{ items: readonly KubernetesObject[]; resourceVersion: string }> | undefined>;
}>;

/** Dependencies of a question to the API server. */
export type HistoryAsking = Readonly<{ client: HistoryReader; clock: Clock; log?: Log; random: () => number }>;

/**
 * The point from which watches may continue: up to `since` the server has the history that was seen.
 * Followers in `except` have newer changes that it did not confirm.
 */
type ConfirmedHistory = Readonly<{ since: string; except: ReadonlySet<HistoryFollower> }>;

type HistoryCheck = Readonly<{ begunAtMs: number; result: Promise<ConfirmedHistory | undefined> }>;
/** A follower, with its state before the question to the server. */
type Known = Readonly<{ follower: HistoryFollower; version: string; change: SeenChange | undefined }>;

/** The newest changes are read one after the other, until one is confirmed. */
const MOST_READS = 3;
/**
 * Pause before a contradicting answer is read again: one to two times this. A stale answer does not prove a
 * restored server.
 */
const AGAIN_MS = 1_000;
const LONGEST_AGAIN_MS = 60_000;
/** Watches that lost their connections together ask within this time. */
const GOOD_FOR_MS = 5_000;
/** Servers that show one history and then the other are believed less and less often. */
const RECENT_MS = 10 * 60_000;
/** A name that no object has: a list by it shows the resourceVersion alone. */
const NO_OBJECT = { fieldSelector: 'metadata.name=-' } as const;

/**
 * Finds out whether an API server still has the history that this process has seen of it. etcd that was
 * restored from a backup goes back; its server accepts watches from versions that it has not reached, and is
 * silent there (decision 0499). So after each lost connection one small read compares facts, for all
 * watches of the cluster together.
 */
export class ServerHistory {
  readonly #followers = new Set<HistoryFollower>();
  readonly #listeners = new Set<() => void>();
  #ending = new AbortController();
  #check: HistoryCheck | undefined;
  #epoch = 0;
  #recent: readonly number[] = [];

  /** Grows with each other history that was found. */
  get epoch(): number {
    return this.#epoch;
  }

  join(follower: HistoryFollower): void {
    if (this.#followers.size === 0) this.#ending = new AbortController();
    this.#followers.add(follower);
  }

  leave(follower: HistoryFollower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#ending.abort();
  }

  /** Calls the listener after each other history that was found, until the returned function is called. */
  onOther(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Asks the server, once for all watches that lost their connections before. Returns undefined if nothing is
   * confirmed: all must be listed again. If the server has another history, {@link epoch} grows.
   */
  confirm(lostAtMs: number, asking: HistoryAsking): Promise<ConfirmedHistory | undefined> {
    const now = asking.clock.now().getTime();
    const before = this.#check;
    if (before !== undefined && before.begunAtMs >= Math.max(lostAtMs, now - GOOD_FOR_MS)) return before.result;
    const check: HistoryCheck = { begunAtMs: now, result: this.#confirm(asking) };
    this.#check = check;
    check.result.catch(() => {
      if (this.#check === check) this.#check = undefined;
    });
    return check.result;
  }

  /**
   * True if the server has another history. Called when a list is older than the history its watch has seen.
   */
  async isBehind(follower: HistoryFollower, asking: HistoryAsking): Promise<boolean> {
    const { epoch } = this;
    const version = follower.version();
    await this.#pause(asking);
    const now = await versionNow(follower, asking);
    if (this.#epoch !== epoch) return true;
    if (!isOlderThan(now, version)) return false;
    this.found(`its resourceVersion is ${now}, and was ${version}`, asking);
    return true;
  }

  /** The server has another history than the one that was seen. */
  found(because: string, { client, clock, log = silentLog }: Omit<HistoryAsking, 'random'>): void {
    this.#epoch += 1;
    this.#recent = [...this.#recentAt(clock), clock.now().getTime()];
    const fields = { cluster: client.cluster, because };
    log.warn(fields, 'dropped cached objects of a cluster: its API server went back, as after a restore');
    for (const follower of [...this.#followers]) follower.onOtherHistory();
    for (const listener of [...this.#listeners]) listener();
  }

  async #confirm(asking: HistoryAsking): Promise<ConfirmedHistory | undefined> {
    const known = [...this.#followers].map((follower) => knownOf(follower));
    const except = new Set<HistoryFollower>();
    for (const one of byNewestChange(known).slice(0, MOST_READS)) {
      const read = await this.#compare(one, asking);
      if (read === undefined) continue;
      const { comparison, version } = read;
      const because = comparison.history === 'other' ? comparison.because : await this.#behind(known, version, asking);
      if (because !== undefined) {
        this.found(because, asking);
        return undefined;
      }
      if (comparison.history === 'same') return { since: one.change.resourceVersion, except };
      except.add(one.follower);
    }
    return undefined;
  }

  /** Undefined if the server does not serve the kind now. A contradiction is read twice. */
  async #compare({ follower, change }: Known & Readonly<{ change: SeenChange }>, asking: HistoryAsking) {
    const first = await shownNow(follower, change, asking);
    if (first?.comparison.history !== 'other') return first;
    await this.#pause(asking);
    return shownNow(follower, change, asking);
  }

  /**
   * Returns why one of the watches is ahead of its server. Kinds may be stored apart from each other, with
   * versions of their own: the kind of the watch that is ahead the most is asked for its version.
   */
  async #behind(known: readonly Known[], version: string, asking: HistoryAsking): Promise<string | undefined> {
    const ahead = known.filter((one) => isOlderThan(version, one.version));
    const [most] = ahead.toSorted((a, b) => (isOlderThan(a.version, b.version) ? 1 : -1));
    if (most === undefined) return undefined;
    const first = await versionNow(most.follower, asking);
    if (!isOlderThan(first, most.version)) return undefined;
    await this.#pause(asking);
    const now = await versionNow(most.follower, asking);
    return isOlderThan(now, most.version) ? `its resourceVersion is ${now}, and was ${most.version}` : undefined;
  }

  #pause({ clock, random }: HistoryAsking): Promise<void> {
    const longer = 2 ** Math.min(this.#recentAt(clock).length, 10);
    return clock.sleep(Math.min(AGAIN_MS * longer, LONGEST_AGAIN_MS) * (1 + random()), this.#ending.signal);
  }

  #recentAt(clock: Clock): readonly number[] {
    const now = clock.now().getTime();
    return this.#recent.filter((at) => now - at < RECENT_MS);
  }
}

const knownOf = (follower: HistoryFollower): Known => ({
  follower,
  version: follower.version(),
  change: follower.lastChange(),
});

function byNewestChange(known: readonly Known[]) {
  const changed = known.flatMap(({ change, ...one }) => (change === undefined ? [] : [{ ...one, change }]));
  return changed.toSorted((a, b) => (isAsNewAs(a.change.resourceVersion, b.change.resourceVersion) ? -1 : 1));
}

async function shownNow(
  { kind }: HistoryFollower,
  change: SeenChange,
  { client }: HistoryAsking,
): Promise<Readonly<{ comparison: HistoryComparison; version: string }> | undefined> {
  const { namespace, name } = change;
  const options = { fieldSelector: `metadata.name=${name}`, ...(namespace === undefined ? {} : { namespace }) };
  const list = await client.list(kind, options);
  if (list === undefined) return undefined;
  const version = list.resourceVersion;
  const found = list.items.find(({ metadata }) => metadata.name === name);
  const object = found && {
    uid: found.metadata.uid,
    resourceVersion: found.metadata.resourceVersion ?? '',
    hasSameContent: change.hasContentOf(found),
  };
  return { comparison: compareLastChange(change, { version, object }), version };
}

/** The newest resourceVersion of the server; empty if it does not serve the kind. */
async function versionNow({ kind }: HistoryFollower, { client }: HistoryAsking): Promise<string> {
  return (await client.list(kind, NO_OBJECT))?.resourceVersion ?? '';
}
