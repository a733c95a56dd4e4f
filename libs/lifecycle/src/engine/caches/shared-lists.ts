import type { KindRef, ListOptions } from '#platform/kube/client/kube-client.port';
import type { ClusterReads } from '../passes/pass-reader.js';

type Listing = ReturnType<ClusterReads['list']>;

/**
 * Lists of one cluster, shared by passes that ask at the same time: many namespaces need the same lists of
 * the whole cluster. A caller that asks during a running list gets the next one, shared by all that have
 * asked by then; so no caller gets an answer to a question that was asked before its own.
 */
export class SharedLists {
  readonly #underWay = new Map<string, Listing>();
  readonly #next = new Map<string, Listing>();

  constructor(private readonly cluster: Pick<ClusterReads, 'list'>) {}

  list(kind: KindRef, options: ListOptions = {}): Listing {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
    const key = [kind.apiVersion, kind.kind, namespace, labelSelector, fieldSelector].join(' ');
    const before = this.#underWay.get(key);
    if (before === undefined) return this.#begin(key, kind, options);
    const begin = () => {
      this.#next.delete(key);
      return this.#begin(key, kind, options);
    };
    const next = this.#next.get(key) ?? before.then(begin, begin);
    this.#next.set(key, next);
    return next;
  }

  #begin(key: string, kind: KindRef, options: ListOptions): Listing {
    const listing = this.cluster.list(kind, options);
    this.#underWay.set(key, listing);
    const end = () => {
      if (this.#underWay.get(key) === listing) this.#underWay.delete(key);
    };
    listing.then(end, end);
    return listing;
  }
}
