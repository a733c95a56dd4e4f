import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/**
 * Failures of a request:
 * - `unreachable`: no connection could be opened;
 * - `not-processed`: the server said that it did not process the request, any method may be sent again;
 * - `lost`: the connection ended before the answer did, the request may have been carried out;
 * - `timeout`: the deadline passed;
 * - `too-large`: the answer exceeds the limit on held bytes;
 * - `credentials`: there are no credentials to send;
 * - `closed`: the client was closed.
 */
export type TransportFailure =
  | 'unreachable'
  | 'not-processed'
  | 'lost'
  | 'timeout'
  | 'too-large'
  | 'credentials'
  | 'closed';

/** An HTTP exchange that brought no whole answer. */
export class TransportError extends FlotillaError {
  readonly code = 'TransportError';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly failure: TransportFailure,
    message: string,
  ) {
    super(message);
  }
}

/**
 * The text of any thrown value; AggregateError (several addresses of one host refused)
 * hides its text in its parts.
 */
export function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(textOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
