/** What is remembered of a request; `path` is below the cluster's prefix, without the query. */
export type RecordedRequest = Readonly<{
  method: string;
  path: string;
  verb: string;
  userAgent?: string;
  impersonatedUser?: string;
  fieldManager?: string;
  resource?: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}>;

const KEPT_REQUESTS = 2000;
const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** The newest requests of one cluster. Iterable; older ones fall out. */
export class RequestLog implements Iterable<RecordedRequest> {
  #kept: RecordedRequest[] = [];

  add(request: RecordedRequest): void {
    this.#kept.push(request);
    if (this.#kept.length > 2 * KEPT_REQUESTS) this.#kept = this.#kept.slice(-KEPT_REQUESTS);
  }

  all(): readonly RecordedRequest[] {
    return this.#kept.slice(-KEPT_REQUESTS);
  }

  /** The requests that ask for a change. */
  writes(): readonly RecordedRequest[] {
    return this.all().filter(({ verb }) => WRITES.has(verb));
  }

  clear(): void {
    this.#kept = [];
  }

  [Symbol.iterator](): Iterator<RecordedRequest> {
    return this.all()[Symbol.iterator]();
  }
}
