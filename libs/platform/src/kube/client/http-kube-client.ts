import { z } from 'zod';
import type { AccountToken } from '#core/cluster/membership/account-token';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { refOf, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { ReadBudget } from '../limits/read-budget.js';
import type { ApiRequest, HttpTransport } from '../transport/http-transport.js';
import { TransportError } from '../transport/transport.error.js';
import type { RequestHeaders } from '../transport/wire.js';
import { ApiRequests } from './api-requests.js';
import { Discovery } from './discovery.js';
import {
  type ClusterLogin,
  type DeletionOptions,
  type KindRef,
  KubeApiError,
  KubeClient,
  type KubernetesList,
  type ListReading,
  type TokenQuestion,
  type WatchedEvents,
  type WatchOptions,
  type WriteOptions,
  type Written,
} from './kube-client.port.js';
import { listAll } from './list-pages.js';
import { withoutManagedFields } from './managed-fields.js';
import { collectionPath, objectPath, query, type ServedResource } from './resource-path.js';
import { WatchEvents } from './watch-events.js';
import { ServerHistory } from './watch-history.js';
import { type WatchAccess, WatchRequest } from './watch-request.js';
import { isWellFormedObject } from './well-formed-object.js';

const CRD = { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' };
const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

const SERVICE_ACCOUNTS = { apiVersion: 'v1', kind: 'ServiceAccount', plural: 'serviceaccounts', namespaced: true };
/** A token goes into a kubeconfig: characters of RFC 6750 alone. */
const IssuedToken = z.looseObject({
  status: z.looseObject({
    token: z
      .string()
      .max(32_768)
      .regex(/^[\w.~+/=-]+$/),
  }),
});

/** Some 5,000 kinds; `/api/v1` has 12 KiB. */
const LONGEST_DISCOVERY_BYTES = 1024 * 1024;

type HttpKubeClientOptions = Readonly<{
  cluster: string;
  transport: HttpTransport;
  /** The owner of the fields that this client writes. */
  fieldManager: string;
  /** Most objects of one page of a list. */
  pageSize?: number;
  globalCatalogNamespace?: string;
  account?: AccountToken;
  login?: ClusterLogin;
  /** Limits on data read and kept of the cluster. */
  budget?: ReadBudget;
}>;

type Method = Exclude<ApiRequest['method'], 'GET'>;
type Write = Readonly<{ method: Method; ref: ObjectRef; subresource?: 'status'; body: unknown; type?: string }>;
type Shared = Readonly<{
  transport: HttpTransport;
  discovery: Discovery;
  history: ServerHistory;
  fieldManager: string;
  pageSize: number;
}>;

/**
 * {@link KubeClient} over our own pooled transport; all clients of one cluster share its
 * connections and discovery.
 */
export class HttpKubeClient extends KubeClient {
  readonly cluster: string;
  readonly budget: ReadBudget;
  override readonly history: ServerHistory;
  override readonly globalCatalogNamespace: string | undefined;
  override readonly account: AccountToken | undefined;
  override readonly login: ClusterLogin | undefined;
  override readonly server: URL;
  readonly #requests: ApiRequests;
  readonly #shared: Shared;
  readonly #watches: WatchAccess;
  readonly #owner: boolean;

  constructor(options: HttpKubeClientOptions, acting?: Readonly<{ requests: ApiRequests; shared: Shared }>) {
    super();
    this.cluster = options.cluster;
    this.globalCatalogNamespace = options.globalCatalogNamespace;
    this.account = options.account;
    this.login = options.login;
    this.server = options.transport.server;
    this.#owner = acting === undefined;
    this.budget = acting?.requests.budget ?? options.budget ?? new ReadBudget(options.cluster);
    const requests = acting?.requests ?? new ApiRequests(options.cluster, options.transport, {}, this.budget);
    this.#requests = requests;
    this.#shared = acting?.shared ?? {
      transport: options.transport,
      history: new ServerHistory(),
      fieldManager: options.fieldManager,
      pageSize: options.pageSize ?? 500,
      discovery: new Discovery((path) => readKinds(requests, path)),
    };
    const { discovery, history } = this.#shared;
    this.history = history;
    this.#watches = { requests, discovery, required: (what, kind) => this.#required(what, kind) };
  }

  async get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    const what = `get ${describe(ref)}`;
    const resource = await this.#shared.discovery.find(ref);
    if (resource === undefined) return undefined;
    const path = this.#path(what, resource, ref);
    const response = await this.#onto(ref, () => this.#requests.find(what, { method: 'GET', path }));
    if (response !== undefined) return this.#requests.object<T>(what, response);
    return undefined;
  }

  async list<T extends KubernetesObject>(
    kind: KindRef,
    { keep, ...options }: ListReading<T> = {},
  ): Promise<KubernetesList<T> | undefined> {
    const resource = await this.#shared.discovery.find(kind);
    if (resource === undefined) return undefined;
    const { pageSize } = this.#shared;
    const request = { resource, options, keep, pageSize };
    const list = await this.#onto(kind, () => listAll<T>(this.#requests, request));
    // Its CRD went since we asked.
    if (list === undefined) this.#shared.discovery.forget(kind.apiVersion);
    return list;
  }

  create<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<Written<T>> {
    return this.#write<T>({ method: 'POST', ref: refOf(object), body: object }, options);
  }

  update<T extends KubernetesObject>(object: T, options: WriteOptions = {}): Promise<Written<T>> {
    return this.#write<T>({ method: 'PUT', ref: refOf(object), body: object }, options);
  }

  updateStatus<T extends KubernetesObject>(object: T): Promise<Written<T>> {
    return this.#write<T>({ method: 'PUT', ref: refOf(object), subresource: 'status', body: object }, {});
  }

  apply<T extends KubernetesObject>(
    object: T,
    options: WriteOptions & Readonly<{ subresource?: 'status' }> = {},
  ): Promise<Written<T>> {
    const write = {
      method: 'PATCH',
      ref: refOf(object),
      body: withoutManagedFields(object), // an apply that has them is refused
      type: PATCH_TYPES.apply,
    } as const;
    return this.#write<T>(withSubresource(write, options.subresource), options);
  }

  patch<T extends KubernetesObject>(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options: WriteOptions & Readonly<{ subresource?: 'status'; type?: 'merge' | 'strategic' }> = {},
  ): Promise<Written<T>> {
    const write = { method: 'PATCH', ref, body: patch, type: PATCH_TYPES[options.type ?? 'merge'] } as const;
    return this.#write<T>(withSubresource(write, options.subresource), options);
  }

  async delete(ref: ObjectRef, options: DeletionOptions = {}): Promise<boolean> {
    const what = `delete ${describe(ref)}`;
    const resource = await this.#shared.discovery.find(ref);
    if (resource === undefined) return false;
    const { uid, resourceVersion, propagation, gracePeriodSeconds, onHeld } = options;
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: propagation ?? 'Background',
      gracePeriodSeconds,
      preconditions: (uid ?? resourceVersion) === undefined ? undefined : { uid, resourceVersion },
    });
    const path = this.#path(what, resource, ref);
    try {
      const headers = { 'content-type': 'application/json' };
      const answer = await this.#onto(ref, () => this.#requests.find(what, { method: 'DELETE', path, body, headers }));
      this.#noteChange(ref, undefined);
      const held = answer && onHeld && heldObject(this.#requests.json(what, answer));
      if (held !== undefined) onHeld?.(held);
      return answer !== undefined;
    } catch (error) {
      if (uid !== undefined && KubeApiError.is(error, 'Conflict')) {
        const there = await this.get(ref);
        if (there?.metadata.uid !== uid) return false;
      }
      throw error;
    }
  }

  watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): WatchedEvents<T> {
    return new WatchEvents<T>(new WatchRequest(this.#watches, kind, options));
  }

  async serves(kind: KindRef): Promise<boolean> {
    try {
      return (await this.#shared.discovery.findFresh(kind)) !== undefined;
    } catch (error) {
      if (KubeApiError.is(error, 'APIUnavailable')) return false;
      throw error;
    }
  }

  async serverVersion(): Promise<string> {
    const what = 'read the version of the API server';
    const answer = this.#requests.json(what, await this.#requests.send(what, { method: 'GET', path: '/version' }));
    const version = typeof answer === 'object' && answer !== null && 'gitVersion' in answer ? answer.gitVersion : '';
    return String(version);
  }

  /** Returns the time of the header Date. Every answer of HTTP has it (RFC 9110 §6.6.1). */
  override async serverTime(): Promise<Date | undefined> {
    const what = 'read the clock of the API server';
    const { headers } = await this.#requests.send(what, { method: 'GET', path: '/version' });
    const time = new Date(String(headers['date'] ?? ''));
    return Number.isNaN(time.getTime()) ? undefined : time;
  }

  override async requestToken({ namespace, name, seconds }: TokenQuestion): Promise<string> {
    const what = `ask for a token of ServiceAccount ${namespace}/${name}`;
    const spec = { expirationSeconds: seconds };
    const request = {
      method: 'POST' as const,
      path: this.#path(what, SERVICE_ACCOUNTS, { ...SERVICE_ACCOUNTS, namespace, name }, 'token'),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }),
    };
    const answer = this.#requests.json(what, await this.#requests.send(what, request));
    const issued = IssuedToken.safeParse(answer).data;
    if (issued !== undefined) return issued.status.token;
    throw this.#requests.failure(what, new TransportError('lost', 'the answer has no token'));
  }

  override hurried<T>(work: () => Promise<T>): Promise<T> {
    return this.#shared.transport.hurried(work);
  }

  actingAs(user: Readonly<{ user: string; groups?: readonly string[] }>): KubeClient {
    const requests = this.#requests.actingAs(impersonation(user));
    return new HttpKubeClient({ ...this.#shared, cluster: this.cluster }, { requests, shared: this.#shared });
  }

  /** Ends the cluster's connections; on a client that acts as another user it does nothing. */
  async close(): Promise<void> {
    if (this.#owner) await this.#shared.transport.close();
  }

  async #write<T extends KubernetesObject>(write: Write, options: WriteOptions): Promise<Written<T>> {
    const { method, ref, subresource, body, type } = write;
    const verb = {
      POST: 'create',
      PUT: 'update',
      PATCH: type === PATCH_TYPES.apply ? 'apply' : 'patch',
      DELETE: 'delete',
    };
    const what = `${verb[method]} ${subresource === undefined ? '' : `${subresource} of `}${describe(ref)}`;
    const resource = await this.#required(what, ref);
    const path =
      method === 'POST' ? this.#collection(what, resource, ref) : this.#path(what, resource, ref, subresource);
    const parameters = {
      fieldManager: options.fieldManager ?? this.#shared.fieldManager,
      force: type === PATCH_TYPES.apply ? true : undefined,
      dryRun: options.dryRun === true ? 'All' : undefined,
    };
    const request = {
      method,
      path: path + query(parameters),
      headers: { 'content-type': type ?? 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await this.#onto(ref, () => this.#requests.send(what, request));
    const written = this.#requests.written<T>(what, response);
    this.#noteChange(ref, written.object);
    return written;
  }

  /** A failure of an aggregated API's backend is no failure of the API server: it concerns this API alone. */
  async #onto<T>({ apiVersion }: KindRef, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw await this.#shared.discovery.explain(error, apiVersion);
    }
  }

  /**
   * Kinds come and go with CRDs; CRDs that this client writes update the discovery without a further request.
   */
  #noteChange(ref: ObjectRef, object: KubernetesObject | undefined): void {
    if (ref.kind !== CRD.kind || splitApiVersion(ref.apiVersion).group !== CRD.group) return;
    const name = ref.name === '' ? (object?.metadata.name ?? '') : ref.name;
    this.#shared.discovery.forgetGroup(name.slice(name.indexOf('.') + 1));
  }

  async #required(what: string, kind: KindRef): Promise<ServedResource> {
    const resource = await this.#shared.discovery.find(kind);
    if (resource !== undefined) return resource;
    const text = `cluster "${this.cluster}": ${what}: the cluster does not serve kind ${kind.kind} of ${kind.apiVersion}; install its CustomResourceDefinition first`;
    throw new KubeApiError(this.cluster, 404, 'NotFound', text);
  }

  #collection(what: string, resource: ServedResource, ref: ObjectRef): string {
    if (resource.namespaced && (ref.namespace ?? '') === '') throw this.#unnamed(what);
    return collectionPath(resource, ref.namespace);
  }

  #path(what: string, resource: ServedResource, ref: ObjectRef, subresource?: string): string {
    const path = objectPath(resource, ref, subresource);
    if (path === undefined) throw this.#unnamed(what);
    return path;
  }

  #unnamed(what: string): KubeApiError {
    const text = `cluster "${this.cluster}": ${what}: the name, or the namespace of a namespaced kind, is missing or holds "/" or "%"`;
    return new KubeApiError(this.cluster, 400, 'BadRequest', text);
  }
}

/** Returns the object in an answer to its deletion, if its finalizers keep it. */
function heldObject(answer: unknown): KubernetesObject | undefined {
  if (!isWellFormedObject(answer)) return undefined;
  const { deletionTimestamp, finalizers = [] } = answer.metadata;
  return deletionTimestamp !== undefined && finalizers.length > 0 ? answer : undefined;
}

/** The discovery document of one group and version, or another small document that discovery asks for. */
async function readKinds(requests: ApiRequests, path: string): Promise<string | undefined> {
  const what = `read which kinds ${path} serves`;
  const answer = await requests.find(what, { method: 'GET', path });
  if (answer !== undefined && !answer.text.startsWith('{')) {
    throw requests.failure(what, new TransportError('lost', 'the answer is not JSON'));
  }
  if (answer === undefined || answer.text.length <= LONGEST_DISCOVERY_BYTES) return answer?.text;
  throw requests.budget.exceed(`GET ${path}`, what, 'discovery');
}

function withSubresource(write: Write, subresource: 'status' | undefined): Write {
  return subresource === undefined ? write : { ...write, subresource };
}

function impersonation(user: Readonly<{ user: string; groups?: readonly string[] }>): RequestHeaders {
  return {
    'impersonate-user': user.user,
    ...(user.groups === undefined ? {} : { 'impersonate-group': [...user.groups] }),
  };
}

/** `Deployment shop/web`. */
function describe(ref: ObjectRef): string {
  const name = ref.name === '' ? '(name to be generated)' : ref.name;
  return `${ref.kind} ${ref.namespace === undefined ? name : `${ref.namespace}/${name}`}`;
}
