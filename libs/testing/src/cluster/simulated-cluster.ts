import { randomBytes } from 'node:crypto';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { actingUser } from './access/authorizer.js';
import { requestTarget, verbOf } from './access/request-target.js';
import { ADMINISTRATOR, type Requester, requester } from './access/requester.js';
import { type Controllers, startControllers } from './controllers/controllers.js';
import { type ApiObject, keyOf } from './objects/api-object.js';
import type { JsonObject } from './objects/json.js';
import { noSuchResource, Refusal } from './objects/refusal.js';
import type { Change, EtcdSnapshot } from './objects/storage.js';
import { keyOfResource } from './resources/resource-registry.js';
import { ApiHandler, type OpenWatch } from './server/api-handler.js';
import type { SimulatedRequest, SimulatedResponse } from './server/api-request.js';
import { type RecordedRequest, RequestLog } from './server/request-log.js';
import { ServedWatch, tooOld, type WatchSink } from './server/served-watch.js';
import { seedCluster } from './state/cluster-seed.js';
import { type ClusterSettings, ClusterState } from './state/cluster-state.js';
import { shownIn } from './store/object-reader.js';
import type { DeleteOptions, WritePlace } from './store/object-writer.js';

/** Requests that an injected refusal is for; absent members match any. */
export type RequestMatch = Readonly<{
  verb?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}>;

type Fault = Readonly<{ match: RequestMatch; refusal: Refusal; once: boolean }>;

/**
 * A request that waits at the API server: `arrived` resolves once it is there, `release`
 * lets the server serve it.
 */
export type HeldRequest = Readonly<{ arrived: Promise<void>; release: () => void }>;
type Hold = Readonly<{ match: RequestMatch; arrive: () => void; released: Promise<void> }>;

/** An object with the resource that a cluster stores it under. */
export type StoredObject = Readonly<{ resource: string; object: ApiObject }>;

/** A request that never arrives, or is served without its answer ever arriving. */
export type Loss = 'request' | 'answer';

const SEED_MANAGER = 'simulated-fleet';
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** One simulated cluster, with the views and actions of its tests in addition to its API. */
export class SimulatedCluster {
  readonly requests = new RequestLog();
  readonly #state: ClusterState;
  readonly #handler: ApiHandler;
  readonly #controllers: Controllers;
  /** Open watches, each with its token. */
  readonly #watches = new Map<ServedWatch, string | undefined>();
  readonly #tokens: Set<string>;
  readonly #faults: Fault[] = [];
  readonly #holds: Hold[] = [];
  /** Returns the network's fault for each request; called before the request is served. */
  lossOf: (request: RecordedRequest) => Loss | undefined = () => undefined;
  /** Called with each request before it is served: a slow server is one that takes its time here. */
  delay: (request: SimulatedRequest) => Promise<void> | undefined = () => undefined;
  #expiredWatches: 'event' | 'status' | undefined;
  #expiredBefore = 0;

  constructor(
    readonly name: string,
    readonly url: string,
    /** The bearer token of the cluster's administrator. */
    readonly token: string,
    settings: ClusterSettings,
    readonly dropConnections: () => void,
  ) {
    this.#tokens = new Set([token]);
    this.#state = new ClusterState(name, settings);
    this.#handler = new ApiHandler(this.#state);
    this.#controllers = startControllers(this.#state);
    seedCluster(this.#state);
  }

  /** Makes issued tokens begin and end by this clock. */
  keepTime(now: () => Date): void {
    this.#state.now = now;
  }

  /** The stored object, or undefined. */
  get(ref: ObjectRef): ApiObject | undefined {
    try {
      const place = this.#place(ref);
      return shownIn(place, this.#handler.writer.get(place, ref.name));
    } catch (error) {
      if (error instanceof Refusal && error.body.code === 404) return undefined;
      throw error;
    }
  }

  /** All stored objects of a kind, of one namespace or of all. */
  list(kind: Readonly<{ apiVersion: string; kind: string; namespace?: string }>): readonly ApiObject[] {
    const place = this.#place(kind);
    return this.#handler.reader.list(place, new URLSearchParams()).objects.map((object) => shownIn(place, object));
  }

  /** Creates an object as a client would. */
  create(object: KubernetesObject): ApiObject {
    const place = this.#place({ ...object, namespace: object.metadata.namespace });
    return this.#handler.writer.create(place, structuredClone(object), { manager: SEED_MANAGER });
  }

  /** Creates the object, or server-side applies it over the existing one. */
  apply(object: KubernetesObject): ApiObject {
    const place = this.#place({ ...object, namespace: object.metadata.namespace });
    const options = { manager: SEED_MANAGER, force: true };
    return this.#handler.writer.apply(place, object.metadata.name ?? '', structuredClone(object), options).object;
  }

  /** Changes a stored object: `change` gets a copy and edits it. */
  edit(ref: ObjectRef, change: (object: ApiObject) => void, subresource?: 'status'): ApiObject {
    const place = { ...this.#place(ref), subresource };
    const edited = (live: ApiObject) => {
      const copy = structuredClone(live);
      change(copy);
      return copy;
    };
    return this.#handler.writer.update(place, ref.name, edited, { manager: SEED_MANAGER });
  }

  delete(ref: ObjectRef, options: DeleteOptions = {}): void {
    this.#handler.writer.delete(this.#place(ref), ref.name, options);
  }

  /**
   * Creates the objects of a kind as another cluster has them. Their content is shared, so that a thousand
   * clusters hold one copy.
   */
  copyFrom(other: SimulatedCluster, kind: Readonly<{ apiVersion: string; kind: string }>): void {
    const resource = keyOfResource(this.#place(kind).info);
    for (const object of other.#state.storage.list(resource)) this.#state.storage.put(resource, object);
  }

  /** Everything that the cluster stores, definitions of kinds first. */
  stored(): readonly StoredObject[] {
    const { storage } = this.#state;
    const resources = storage
      .resourcesInUse()
      .toSorted((a, b) => Number(b === DEFINITIONS) - Number(a === DEFINITIONS));
    return resources.flatMap((resource) => storage.list(resource).map((object) => ({ resource, object })));
  }

  /**
   * Stores objects of another cluster as they are there, except those that this one has. Their content is
   * shared with all clusters that restore the same ones.
   */
  restore(objects: readonly StoredObject[]): void {
    const { storage } = this.#state;
    for (const { resource, object } of objects) {
      if (storage.get(resource, keyOf(object)) === undefined) storage.put(resource, object);
    }
  }

  /**
   * Stores exactly its content of an earlier time; watches begin again. So does a server with data restored
   * from a backup, with `etcdutl --bump-revision --mark-compacted`, as Kubernetes asks for.
   */
  rollBack(to: readonly StoredObject[]): void {
    const { storage } = this.#state;
    const wanted = new Set(to.map(({ resource, object }) => `${resource} ${keyOf(object)}`));
    this.endWatches();
    for (const { resource, object } of this.stored()) {
      if (!wanted.has(`${resource} ${keyOf(object)}`)) storage.remove(resource, object);
    }
    for (const { resource, object } of to) {
      if (storage.get(resource, keyOf(object)) !== object) storage.put(resource, object);
    }
    this.expireWatches();
    this.#controllers.resume();
  }

  /** Everything that the cluster stores, with its revision: a copy of etcd's data. */
  snapshot(): EtcdSnapshot {
    return this.#state.storage.snapshot();
  }

  /**
   * Puts a copy of etcd's data back, as `etcdctl snapshot restore` does: resourceVersions go back. The server
   * was stopped for that, and has lost its connections. It accepts watches from versions that it has not
   * reached again, and is silent there.
   */
  restoreSnapshot(snapshot: EtcdSnapshot): void {
    this.dropConnections();
    this.endWatches();
    this.#state.storage.restore(snapshot);
    this.#expiredBefore = 0;
    this.#handler.reader.forgetPages();
    this.#controllers.resume();
  }

  /** Calls the listener at every write, until the returned function is called. */
  onChange(listener: (change: Change) => void): () => void {
    return this.#state.storage.onChange(listener);
  }

  /**
   * All revisions handed out so far become too old: the next watch from one of them gets 410 Gone, as
   * an ERROR event (as the watch cache answers) or as the status of the response (as etcd's compaction
   * was answered before it).
   */
  expireWatches(how: 'event' | 'status' = 'event'): void {
    this.#expiredWatches = how;
    this.#state.storage.compact();
    this.#expiredBefore = this.#state.storage.revision;
    this.#handler.reader.forgetPages();
  }

  /** A further token of the cluster's administrator. */
  issueToken(token = randomBytes(24).toString('base64url')): string {
    this.#tokens.add(token);
    return token;
  }

  /** Refuses requests with the token from now on; watches that are open with it stay open. */
  revokeToken(token: string): void {
    this.#tokens.delete(token);
  }

  /** Ends open watches the way a server does at its own time-out: cleanly. */
  endWatches(): void {
    for (const watch of this.#watches.keys()) watch.end();
  }

  /** Number of open watches; with a token, of those opened with it. */
  openWatches(token?: string): number {
    if (token === undefined) return this.#watches.size;
    return [...this.#watches.values()].filter((one) => one === token).length;
  }

  /** `group/resource` of every open watch, sorted; the core group is empty. */
  watchedResources(): string[] {
    return [...this.#watches.keys()].map(({ place: { info } }) => `${info.group}/${info.resource}`).sort();
  }

  /** Refuses the next request that matches, once. */
  failNext(match: RequestMatch, status: number, reason: string, message = `injected ${reason}`): void {
    this.#faults.push({ match, refusal: new Refusal(status, reason, message), once: true });
  }

  /** Refuses every request that matches, until the returned function is called. */
  failAll(match: RequestMatch, refusal: Refusal): () => void {
    const fault = { match, refusal, once: false };
    this.#faults.push(fault);
    return () => {
      const index = this.#faults.indexOf(fault);
      if (index >= 0) this.#faults.splice(index, 1);
    };
  }

  /** Keeps the next request that matches waiting, as a slow API server does, until it is released. */
  holdNext(match: RequestMatch): HeldRequest {
    const arrival = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    this.#holds.push({ match, arrive: arrival.resolve, released: release.promise });
    return { arrived: arrival.promise, release: release.resolve };
  }

  /** Called by the server before it serves a request: resolves when no test holds it any more. */
  async admitted(request: SimulatedRequest): Promise<void> {
    const index = this.#holds.findIndex(({ match }) => isMatch(match, request));
    const [hold] = index < 0 ? [] : this.#holds.splice(index, 1);
    hold?.arrive();
    await hold?.released;
    await this.delay(request);
  }

  /** Called by the server for each request of this cluster; undefined: the client gets no answer. */
  handle(request: SimulatedRequest): SimulatedResponse | OpenWatch | undefined {
    const loss = this.lossOf(this.#record(request));
    if (loss === 'request') return undefined;
    const answer = this.#answer(request);
    return loss === 'answer' ? undefined : answer;
  }

  #answer(request: SimulatedRequest): SimulatedResponse | OpenWatch {
    const user = this.#authenticate(request);
    const fault = this.#takeFault(request);
    if (fault !== undefined) throw fault;
    const answer = this.#handler.handle(request, user);
    if (!('watch' in answer)) return answer;
    this.#refuseExpired(request);
    return { ...answer, token: tokenOf(request) };
  }

  openWatch(opened: OpenWatch, query: URLSearchParams, sink: WatchSink): ServedWatch {
    const stream: ServedWatch = new ServedWatch(this.#state, opened, query, sink, () => this.#watches.delete(stream));
    this.#watches.set(stream, opened.token);
    stream.start();
    return stream;
  }

  bookmarkWatches(): void {
    for (const watch of this.#watches.keys()) watch.bookmark();
  }

  stop(): void {
    this.#state.stop();
    this.endWatches();
  }

  #place(of: Readonly<{ apiVersion: string; kind: string; namespace?: string | undefined }>): WritePlace {
    const { group, version } = splitApiVersion(of.apiVersion);
    const info = this.#state.resources.byKind(group, version, of.kind);
    if (info === undefined) throw noSuchResource();
    return { info, version, namespace: info.namespaced ? of.namespace : undefined };
  }

  #authenticate(request: SimulatedRequest): Requester {
    const { headers } = request;
    const token = tokenOf(request);
    const account = this.#state.userOf(token);
    const { certificateUntil = new Date(0) } = request;
    const known = this.#tokens.has(token) || account !== undefined || certificateUntil > new Date();
    if (!known) throw new Refusal(401, 'Unauthorized', 'Unauthorized');
    return actingUser(this.#state, account === undefined ? ADMINISTRATOR : requester(account), headers);
  }

  #record({ method, path, query, headers }: SimulatedRequest): RecordedRequest {
    const target = requestTarget(path);
    const verb = target === undefined ? method.toLowerCase() : verbOf(method, target, query);
    const optional: JsonObject = {
      userAgent: headers['user-agent'],
      impersonatedUser: headers['impersonate-user'],
      fieldManager: query.get('fieldManager') ?? undefined,
      resource: target?.resource,
      namespace: target?.namespace,
      name: target?.name,
      subresource: target?.subresource,
    };
    const known = Object.entries(optional).filter(([, value]) => value !== undefined);
    const recorded = { method, path, verb, ...Object.fromEntries(known) };
    this.requests.add(recorded);
    return recorded;
  }

  #takeFault(request: SimulatedRequest): Refusal | undefined {
    const index = this.#faults.findIndex(({ match }) => isMatch(match, request));
    const fault = this.#faults[index];
    if (fault?.once) this.#faults.splice(index, 1);
    return fault?.refusal;
  }

  #refuseExpired({ query }: SimulatedRequest): void {
    const from = query.get('resourceVersion') ?? '';
    const old = from !== '' && from !== '0' && Number(from) < this.#expiredBefore;
    if (old && this.#expiredWatches === 'status') throw tooOld(from, this.#state.storage.revision);
  }
}

function isMatch(match: RequestMatch, { method, path, query }: SimulatedRequest): boolean {
  const target = requestTarget(path);
  // Discovery and the like concern no resource.
  if (target === undefined) return Object.values(match).every((wanted) => wanted === undefined);
  const facts: RequestMatch = { ...target, verb: verbOf(method, target, query) };
  return (['verb', 'resource', 'namespace', 'name', 'subresource'] as const).every(
    (field) => match[field] === undefined || match[field] === facts[field],
  );
}

const tokenOf = ({ headers }: SimulatedRequest): string => /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
