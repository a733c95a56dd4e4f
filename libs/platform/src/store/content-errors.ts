import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** The disk cache cannot take the blob: it is larger than the whole cache may be, or the disk is full. */
export class ContentStoreFull extends FlotillaError {
  readonly code = 'ContentStoreFull';
  readonly retry: Retry = 'backoff';
  constructor(message: string) {
    super(message);
  }
}

/** The peer that keeps content for us does not answer, or answers with something else than was asked for. */
export class ContentUnreachable extends FlotillaError {
  readonly code = 'ContentUnreachable';
  readonly retry: Retry = 'backoff';
  constructor(
    readonly digest: string,
    readonly peer: string,
    because: string,
  ) {
    super(`content ${digest} could not be read from ${peer}: ${because}`);
  }
}
