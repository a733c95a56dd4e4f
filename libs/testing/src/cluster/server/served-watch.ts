import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { expired, type Refusal } from '../objects/refusal.js';
import type { Change } from '../objects/storage.js';
import { keyOfResource } from '../resources/resource-registry.js';
import type { ClusterState } from '../state/cluster-state.js';
import { inPlace, selected } from '../store/object-reader.js';
import type { WritePlace } from '../store/object-writer.js';
import { type Selector, selectorOf } from '../store/selectors.js';
import type { OpenWatch } from './api-handler.js';
import { type Representation, shownObject } from './representation.js';

/** Output of a watch; `backlog` returns the bytes that wait to be read. */
export type WatchSink = Readonly<{ write: (line: string) => void; end: () => void; backlog: () => number }>;

const MAX_BACKLOG_BYTES = 64 * 1024 * 1024;

/** One open watch of one client: replay, live events, bookmarks. */
export class ServedWatch {
  readonly place: WritePlace;
  readonly form: Representation;
  readonly #selector: Selector | undefined;
  readonly #bookmarks: boolean;
  readonly #unsubscribe: () => void;
  #timeout: NodeJS.Timeout | undefined;
  #bookmarked = 0;
  /** Nothing is sent up to this revision; the cluster may not have reached it yet. */
  #after = 0;
  #open = true;

  constructor(
    readonly cluster: ClusterState,
    opened: OpenWatch,
    readonly query: URLSearchParams,
    readonly sink: WatchSink,
    readonly onEnd: () => void,
  ) {
    this.place = opened.watch;
    this.form = opened.form;
    this.#selector = selectorOf(query, this.place.info);
    this.#bookmarks = query.get('allowWatchBookmarks') === 'true';
    const resource = keyOfResource(this.place.info);
    this.#unsubscribe = cluster.storage.onChangeOf(resource, (change) => this.#onChange(change));
    const seconds = Number(query.get('timeoutSeconds') ?? 0);
    if (seconds > 0) this.#timeout = setTimeout(() => this.end(), seconds * 1000);
  }

  /** Sends a bookmark if one was requested and something has happened since the last. */
  bookmark(): void {
    const { revision } = this.cluster.storage;
    if (!this.#bookmarks || this.#bookmarked === revision || revision < this.#after) return;
    this.#bookmarked = revision;
    this.#send('BOOKMARK', this.#bookmarkObject({}));
  }

  /** Ends the watch with an ERROR event. */
  fail(refusal: Refusal): void {
    this.#send('ERROR', refusal.body);
    this.end();
  }

  end(): void {
    if (!this.#open) return;
    this.#open = false;
    clearTimeout(this.#timeout);
    this.#unsubscribe();
    this.onEnd();
    this.sink.end();
  }

  /** Sends the begin of the watch; events follow by themselves. */
  start(): void {
    const { storage } = this.cluster;
    const query = this.query;
    const from = query.get('resourceVersion') ?? '';
    const sendInitial = query.get('sendInitialEvents') === 'true';
    if (sendInitial || from === '' || from === '0') {
      for (const object of selected(this.cluster, this.place, this.#selector)) this.#send('ADDED', this.#shown(object));
      if (sendInitial) this.#send('BOOKMARK', this.#bookmarkObject({ 'k8s.io/initial-events-end': 'true' }));
      return;
    }
    this.#after = Number(from);
    const changes = storage.changesSince(keyOfResource(this.place.info), Number(from));
    if (changes === undefined) this.fail(tooOld(from, storage.revision));
    else for (const change of changes) this.#onChange(change);
  }

  #bookmarkObject(annotations: JsonObject): JsonObject {
    const { info, version } = this.place;
    const apiVersion = info.group === '' ? version : `${info.group}/${version}`;
    const marked = Object.keys(annotations).length > 0 ? { annotations } : {};
    const metadata = { resourceVersion: String(this.cluster.storage.revision), creationTimestamp: null, ...marked };
    return { kind: info.kind, apiVersion, metadata };
  }

  #onChange(change: Change): void {
    if (change.revision <= this.#after || !inPlace(this.place, change.object)) return;
    const now = change.type !== 'DELETED' && this.#takes(change.object);
    const before = change.previous !== undefined && this.#takes(change.previous);
    if (!now && !before) return;
    const type = now ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
    if (this.form === 'object') this.#write(lastLine.of(type, this.place, change.object));
    else this.#send(type, this.#shown(change.object));
  }

  #shown(object: ApiObject): JsonObject {
    return shownObject(this.place, object, this.form, this.query.get('includeObject'));
  }

  #takes(object: ApiObject): boolean {
    return this.#selector?.(object) ?? true;
  }

  #send(type: string, object: unknown): void {
    this.#write(`${JSON.stringify({ type, object })}\n`);
  }

  #write(line: string): void {
    if (!this.#open) return;
    this.sink.write(line);
    if (this.sink.backlog() > MAX_BACKLOG_BYTES) this.end();
  }
}

/** The line of the last change: the watches of several clients send the same one, one after the other. */
class LastLine {
  #type = '';
  #version = '';
  #object: ApiObject | undefined;
  #line = '';

  of(type: string, place: WritePlace, object: ApiObject): string {
    if (this.#object !== object || this.#type !== type || this.#version !== place.version) {
      this.#line = `${JSON.stringify({ type, object: shownObject(place, object, 'object', null) })}\n`;
      [this.#type, this.#version, this.#object] = [type, place.version, object];
    }
    return this.#line;
  }
}

const lastLine = new LastLine();

export const tooOld = (from: string, oldest: number): Refusal =>
  expired(`too old resource version: ${from} (${oldest})`);
