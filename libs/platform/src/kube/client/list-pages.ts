import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { heldBytes } from '#core/kernel/read-budget/held-bytes';
import { LIST_BEGUN, type ListProgress, listProgress } from '#core/kernel/read-budget/list-progress';
import { nextPageSize } from '#core/kernel/read-budget/page-size';
import type { Excess } from '#core/kernel/read-budget/read-limits';
import { LIST_TURNS } from '../limits/list-turns.js';
import { TransportError } from '../transport/transport.error.js';
import type { ApiRequests } from './api-requests.js';
import { KubeApiError, type KubernetesList, type ListOptions } from './kube-client.port.js';
import { listKey } from './list-key.js';
import { collectionPath, query, type ServedResource } from './resource-path.js';

const Page = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string().optional(), continue: z.string().optional() }).optional(),
  items: z.array(z.looseObject({ metadata: z.looseObject({}) })).nullable(),
});

type Found<T extends KubernetesObject> = KubernetesList<T> | undefined;
type ListRequest<T extends KubernetesObject> = Readonly<{
  resource: ServedResource;
  options: ListOptions;
  /** Returns the parts to keep of an item. Absent: all of it. */
  keep?: ((object: T) => T) | undefined;
  pageSize: number;
}>;

/** Objects that were parsed take about so many times the bytes of their text. */
const PARSED_BYTES = 3;

/**
 * Lists all objects, page by page. A list whose continuation has expired (410, it took longer than etcd keeps
 * old versions) is read again in one piece, as client-go does. Pages that are too large for one answer are
 * requested in smaller ones. Returns undefined if the collection does not exist. A list that exceeds the
 * cluster's budget fails; no part of it is returned.
 */
export function listAll<T extends KubernetesObject>(requests: ApiRequests, request: ListRequest<T>): Promise<Found<T>> {
  return requests.budget.run(listKey(request), async () => {
    try {
      return await new ListReader(requests, request).read(request.pageSize);
    } catch (error) {
      if (!KubeApiError.is(error, 'Expired')) throw error;
      return new ListReader(requests, request).read(undefined).catch((whole: unknown) => {
        // In one piece it is larger than one answer: it is read in pages again with the next try.
        throw KubeApiError.is(whole, 'ResponseTooLarge') ? error : whole;
      });
    }
  });
}

/** Reads one list once. */
class ListReader<T extends KubernetesObject> {
  readonly #items: T[] = [];
  #progress: ListProgress = LIST_BEGUN;

  constructor(
    private readonly requests: ApiRequests,
    private readonly request: ListRequest<T>,
  ) {}

  async read(pageSize: number | undefined): Promise<Found<T>> {
    const share = this.requests.budget.openList();
    let limit = pageSize;
    let next: string | undefined;
    try {
      for (;;) {
        const page = await this.#inTurn(() => this.#taken(limit, next));
        if (page === 'too large') {
          limit = Math.ceil((limit ?? 1) / 10);
          continue;
        }
        if (page === undefined) return undefined;
        const { bytes, metadata, tookMs } = page;
        const excess = share.add(bytes);
        if (excess !== undefined) throw this.#exceeded(excess);
        next = metadata?.continue;
        if (next === undefined || next === '') {
          return { items: this.#items, resourceVersion: metadata?.resourceVersion ?? '' };
        }
        limit = nextPageSize(limit, tookMs);
        await this.requests.budget.rest(tookMs);
      }
    } finally {
      share.release();
    }
  }

  /** Reads at once if a pass waits for the list; otherwise takes turns. */
  #inTurn<R>(read: () => Promise<R>): Promise<R> {
    return this.request.keep === undefined ? read() : LIST_TURNS.run(read);
  }

  /** Reads and takes in one page. Returns undefined if the collection does not exist. */
  async #taken(limit: number | undefined, next: string | undefined) {
    const page = await this.#page(limit, next);
    if (page === 'too large') return page;
    if (page.text === undefined) return undefined;
    this.requests.budget.notePage();
    const startedAt = performance.now();
    const taken = this.#take(page.text, limit);
    return { ...taken, tookMs: performance.now() - startedAt };
  }

  get #what(): string {
    return `list ${this.request.resource.kind}`;
  }

  /** Reads one page. `text` is undefined if the collection does not exist. */
  async #page(
    limit: number | undefined,
    next: string | undefined,
  ): Promise<Readonly<{ text: string | undefined }> | 'too large'> {
    const { resource, options, keep } = this.request;
    const { namespace, labelSelector, fieldSelector } = options;
    const path = collectionPath(resource, namespace) + query({ labelSelector, fieldSelector, limit, continue: next });
    const request = { method: 'GET', path, background: keep !== undefined } as const;
    try {
      return { text: (await this.requests.findPage(this.#what, request))?.text };
    } catch (error) {
      if (!KubeApiError.is(error, 'ResponseTooLarge') || limit === undefined) throw error;
      this.requests.budget.noteLongAnswer();
      if (limit <= 1) throw this.#exceeded('answer');
      return 'too large';
    }
  }

  #take(text: string, limit: number | undefined) {
    const page = Page.safeParse(this.requests.parse(this.#what, text));
    if (!page.success) {
      throw this.requests.failure(this.#what, new TransportError('lost', 'the answer is not a list of objects'));
    }
    const { items, metadata } = page.data;
    const size = { objects: items?.length ?? 0, bytes: text.length, continue: metadata?.continue };
    const read = listProgress(this.#progress, size, limit, this.requests.budget.limits);
    if ('excess' in read) throw this.#exceeded(read.excess);
    this.#progress = read.progress;
    const { resource, keep } = this.request;
    const named = { apiVersion: resource.apiVersion, kind: resource.kind };
    let bytes = keep === undefined ? text.length * PARSED_BYTES : 0;
    for (const item of items ?? []) {
      // Items of built-in kinds come without apiVersion and kind.
      const object = { ...named, ...item } as unknown as T;
      const kept = keep === undefined ? object : keep(object);
      if (keep !== undefined) bytes += heldBytes(kept);
      this.#items.push(kept);
    }
    return { bytes, metadata };
  }

  #exceeded(excess: Excess): KubeApiError {
    return this.requests.budget.exceed(listKey(this.request), this.request.resource.kind, excess);
  }
}
