/** Record of a request; `path` is below the cluster's prefix, without the query. */
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

/** The newest requests of one cluster, oldest first; the oldest are dropped. */
export class RequestLog extends Array<RecordedRequest> {
  /** Lists derived from the log are plain lists. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }

  add(request: RecordedRequest): void {
    this.push(request);
    if (this.length > 2 * KEPT_REQUESTS) this.splice(0, this.length - KEPT_REQUESTS);
  }

  /** The requests that asked for a change. */
  writes(): RecordedRequest[] {
    return this.filter(({ verb }) => WRITES.has(verb));
  }

  clear(): void {
    this.length = 0;
  }
}
