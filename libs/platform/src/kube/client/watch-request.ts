import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import type { ReadBudget } from '../limits/read-budget.js';
import { TransportError, textOf } from '../transport/transport.error.js';
import { WatchLines } from '../transport/watch-lines.js';
import type { ApiRequests } from './api-requests.js';
import type { Discovery } from './discovery.js';
import { type KindRef, KubeApiError, type WatchOptions } from './kube-client.port.js';
import { listKey } from './list-key.js';
import { collectionPath, query, type ServedResource } from './resource-path.js';
import type { WatchSource } from './watch-events.js';

/** Properties that all watches of a client share. */
export type WatchAccess = Readonly<{
  requests: ApiRequests;
  discovery: Discovery;
  /** Returns the kind as the cluster serves it. Fails if it does not. */
  required: (what: string, kind: KindRef) => Promise<ServedResource>;
}>;

/** One watch request of a kind. */
export class WatchRequest implements WatchSource {
  constructor(
    private readonly access: WatchAccess,
    private readonly kind: KindRef,
    private readonly options: WatchOptions,
  ) {}

  get cluster(): string {
    return this.access.requests.cluster;
  }

  get what(): string {
    return `watch ${this.kind.kind}`;
  }

  get budget(): ReadBudget {
    return this.access.requests.budget;
  }

  get isAborted(): boolean {
    const { signal, until } = this.options;
    return signal.aborted || until?.aborted === true;
  }

  async open(): Promise<WatchLines> {
    const { access, kind, what } = this;
    const { namespace, signal, until, onOpen, known: _known, ...parameters } = this.options;
    const resource = await access.required(what, kind);
    const path = collectionPath(resource, namespace) + query({ ...parameters, watch: true, allowWatchBookmarks: true });
    const request = { method: 'GET', path, signal, ...(until && { until }) } as const;
    const { body, whole } = await access.requests.stream(what, request).catch(async (error: unknown) => {
      throw await access.discovery.explain(error, kind.apiVersion);
    });
    onOpen?.();
    return new WatchLines(body, whole, access.requests, signal);
  }

  known(line: string): KubernetesObject | undefined {
    return this.options.known?.(line);
  }

  exceeded(excess: Excess): KubeApiError {
    const key = listKey({ resource: this.kind, options: this.options, keep: true });
    return this.budget.exceed(key, this.kind.kind, excess);
  }

  failure(error: unknown): unknown {
    if (error instanceof TransportError && error.failure === 'too-large') return this.exceeded('event');
    if (KubeApiError.is(error) && error.status === 404) this.access.discovery.forget(this.kind.apiVersion);
    return KubeApiError.is(error) ? error : this.access.requests.failure(this.what, asLost(error));
  }
}

/** A line that is no event means that we have lost our place in the stream. */
function asLost(error: unknown): TransportError {
  return error instanceof TransportError ? error : new TransportError('lost', textOf(error));
}
