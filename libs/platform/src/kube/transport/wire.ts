import type { Readable } from 'node:stream';

/** A list stands for several headers of the name. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>;

/** One HTTP request as it goes over a connection. */
export type WireRequest = Readonly<{
  method: string;
  /** Path and query, the server's own prefix included. */
  path: string;
  headers: RequestHeaders;
  body?: Buffer;
  /**
   * Ends the request. It ends a watch only until its answer begins; `cancel` of its exchange ends the answer.
   */
  signal: AbortSignal;
  /** A watch: it lives for minutes, so that it must not hold up short requests. */
  longLived: boolean;
}>;

/** The head of the answer, and its body still to be read. Destroying the body cancels the exchange. */
export type Exchange = Readonly<{
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
  /**
   * Asked after the body's end: whether the server ended it. A broken HTTP/2 connection
   * ends it without an error.
   */
  whole(): boolean;
  /** Ends the answer; its body fails with the reason. */
  cancel(reason: unknown): void;
}>;

/** Connections of one identity to one server. */
export interface Wire {
  readonly protocol: 'h2' | 'http/1.1';
  /** True until new requests need a new wire. */
  usable(): boolean;
  send(request: WireRequest): Promise<Exchange>;
  /** Takes no new requests; active requests may end. */
  retire(): void;
  /** Ends everything at once. */
  destroy(): void;
}
