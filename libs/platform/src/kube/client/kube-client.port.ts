import type { AccountToken } from '#core/cluster/membership/account-token';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { ReadBudget } from '../limits/read-budget.js';
import type { ServerHistory } from './watch-history.js';

export { isTerminatingNamespace, KubeApiError } from '../errors/kube-api.error.js';

/**
 * The kinds of one API to list or watch, as apiVersion and kind; the client finds the plural by discovery.
 */
export type KindRef = Readonly<{ apiVersion: string; kind: string }>;

export type ListOptions = Readonly<{ namespace?: string; labelSelector?: string; fieldSelector?: string }>;

/**
 * Options of reading a list. `keep` returns the parts to keep of each item while the list is read; for lists
 * that may be long.
 */
export type ListReading<T extends KubernetesObject> = ListOptions & Readonly<{ keep?: (object: T) => T }>;

export type KubernetesList<T extends KubernetesObject> = Readonly<{ items: readonly T[]; resourceVersion: string }>;

/** The answer to a write; `warnings` are the API server's `Warning: 299` headers. */
export type Written<T extends KubernetesObject> = Readonly<{ object: T; warnings: readonly string[] }>;

export type WatchEvent<T extends KubernetesObject> =
  | Readonly<{ type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }>
  | Readonly<{ type: 'BOOKMARK'; resourceVersion: string }>;

/**
 * Options of a watch. `timeoutSeconds`: after that time the server ends the watch by itself. `onOpen` is
 * called once the server has accepted the watch. Aborting `signal` or `until` ends it without an error.
 * `known` returns the object of an event, by its JSON text, if the caller has it already: the text is not
 * parsed then.
 */
export type WatchOptions = ListOptions &
  Readonly<{
    resourceVersion: string;
    signal: AbortSignal;
    until?: AbortSignal;
    timeoutSeconds?: number;
    onOpen?: () => void;
    known?: (line: string) => KubernetesObject | undefined;
  }>;

/**
 * The events of a watch, one at a time. `each` and `close` exist if it can do without an iterator's promises.
 */
export type WatchedEvents<T extends KubernetesObject> = AsyncIterable<WatchEvent<T>> &
  Readonly<{
    /**
     * Gives each event to `take`, and waits for the promise that it returns. Resolves when the watch has
     * ended. Fails as the iterator does, and with the errors of `take`.
     */
    each?: (take: (event: WatchEvent<T>) => Promise<void> | undefined) => Promise<void>;
    /** Ends the watch once it is open, as its signal does. */
    close?: () => void;
  }>;

/** Calls `take` for each event until the watch has ended. */
export function eachEvent<T extends KubernetesObject>(
  stream: WatchedEvents<T>,
  take: (event: WatchEvent<T>) => undefined,
): Promise<void> {
  return stream.each?.(take) ?? iterated(stream, take);
}

async function iterated<T>(stream: AsyncIterable<T>, take: (event: T) => void): Promise<void> {
  for await (const event of stream) take(event);
}

/**
 * Options of a deletion. `uid`, `resourceVersion`: the object to delete; the deletion of another version is
 * refused with reason Conflict. `onHeld` is called with the object if finalizers keep it.
 */
export type DeletionOptions = Readonly<{
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  onHeld?: (object: KubernetesObject) => void;
}>;

/** `dryRun`: the server checks, defaults and answers, but stores nothing. */
/** `fieldManager`: of this write alone; default: that of the client. */
export type WriteOptions = Readonly<{ dryRun?: boolean; fieldManager?: string }>;

/** A request for a token: its ServiceAccount and its lifetime. */
export type TokenQuestion = Readonly<{ namespace: string; name: string; seconds: number }>;

/** The context of a kubeconfig. */
export type ClusterLogin = Readonly<{ file: string; context: string }>;

/**
 * One managed cluster's API. Expected "no"s of reads are values; every other refusal is a `KubeApiError`.
 * Requests for an aggregated API fail with reason `APIUnavailable` if its backend does not answer.
 */
export abstract class KubeClient {
  /** Flotilla's name of the cluster. */
  abstract readonly cluster: string;
  /** Limits on data read and kept of the cluster. Reads beyond them fail with reason `TooLarge`. */
  abstract readonly budget: ReadBudget;
  /** Facts that watches have seen of the API server's history; undefined if it never changes. */
  readonly history: ServerHistory | undefined;
  /** The namespace of its global catalogs, if it is set for this cluster alone. */
  readonly globalCatalogNamespace: string | undefined;
  /** The source of its login. Absent: a Secret of the hub, or the pod we run in. */
  readonly login: ClusterLogin | undefined;
  /** The ServiceAccount of its login, and when its token ends; absent for any other login. */
  readonly account: AccountToken | undefined;
  /** The address of its API server in the kubeconfig; absent if clients of it are wrapped. */
  readonly server: URL | undefined;
  /** Returns the object, or undefined if there is none (404). */
  abstract get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined>;
  /**
   * Lists all objects of a kind, read page by page. Returns undefined if the cluster does not serve the kind.
   */
  abstract list<T extends KubernetesObject>(
    kind: KindRef,
    options?: ListReading<T>,
  ): Promise<KubernetesList<T> | undefined>;
  abstract create<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Written<T>>;
  /** PUT; refused with reason Conflict when `metadata.resourceVersion` is not the newest. */
  abstract update<T extends KubernetesObject>(object: T, options?: WriteOptions): Promise<Written<T>>;
  /** PUT of the status subresource, with the same lock. */
  abstract updateStatus<T extends KubernetesObject>(object: T): Promise<Written<T>>;
  /** Server-side apply, ownership forced, as the client's field manager. */
  abstract apply<T extends KubernetesObject>(
    object: T,
    options?: WriteOptions & Readonly<{ subresource?: 'status' }>,
  ): Promise<Written<T>>;
  /** JSON merge patch (RFC 7386). */
  abstract patch<T extends KubernetesObject>(
    ref: ObjectRef,
    patch: Readonly<Record<string, unknown>>,
    options?: WriteOptions & Readonly<{ subresource?: 'status'; type?: 'merge' | 'strategic' }>,
  ): Promise<Written<T>>;
  /**
   * Deletes an object. Returns false if it was gone already, or if the name belongs to an object with another
   * `uid`.
   */
  abstract delete(ref: ObjectRef, options?: DeletionOptions): Promise<boolean>;
  /**
   * One watch request, from `resourceVersion` on; ends when the server ends it. 410 Gone is a
   * KubeApiError of reason Expired.
   */
  abstract watch<T extends KubernetesObject>(kind: KindRef, options: WatchOptions): WatchedEvents<T>;
  /**
   * True if the cluster serves this kind now (fresh discovery when it was not known before). False while the
   * backend of an aggregated API does not answer.
   */
  abstract serves(kind: KindRef): Promise<boolean>;
  /** gitVersion of the API server, such as `v1.34.4`. */
  abstract serverVersion(): Promise<string>;
  /** Returns the clock of the API server, to the second. Returns undefined if its answers have none. */
  serverTime(): Promise<Date | undefined> {
    return Promise.resolve(undefined);
  }
  /** A token of a ServiceAccount (TokenRequest). Never logged, never put into a message. */
  requestToken({ namespace, name }: TokenQuestion): Promise<string> {
    return Promise.reject(new Error(`this client asks for no token of ServiceAccount ${namespace}/${name}`));
  }
  /**
   * Does urgent work, such as a pass. It must not wait for connections that other clusters need for watches
   * alone.
   */
  hurried<T>(work: () => Promise<T>): Promise<T> {
    return work();
  }
  /** A client of the same cluster that acts as another user (impersonation headers). */
  abstract actingAs(user: Readonly<{ user: string; groups?: readonly string[] }>): KubeClient;
  abstract close(): Promise<void>;
}
