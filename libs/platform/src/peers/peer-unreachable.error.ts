import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** Another poller of the hub has the content, or may have it, and does not answer. */
export class PeerUnreachable extends FlotillaError {
  readonly code = 'PeerUnreachable';
  readonly retry: Retry = 'backoff';
  constructor(url: string, because: string, options?: ErrorOptions) {
    super(`the poller at ${url} does not answer for this one (${because}): try again`, options);
  }
}
