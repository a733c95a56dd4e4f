import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** The disk cache cannot take the blob: it is larger than the whole cache may be, or the disk is full. */
export class ContentStoreFull extends FlotillaError {
  readonly code = 'ContentStoreFull';
  readonly retry: Retry = 'backoff';
  constructor(message: string) {
    super(message);
  }
}

/** The folder of the disk cache cannot be made or read: its path, its permissions. */
export class ContentFolderUnusable extends FlotillaError {
  readonly code = 'ContentFolderUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(folder: string, why: string) {
    super(`content folder ${folder}: ${why}: set FLOTILLA_CONTENT_DIR to a folder that this user can write`);
  }
}

/** The disk of the folder refuses to take anything. */
export class ContentDiskFull extends FlotillaError {
  readonly code = 'ContentDiskFull';
  readonly retry: Retry = 'backoff';
  constructor(folder: string, why: string) {
    super(
      `content folder ${folder}: ${why}: free space there, or set FLOTILLA_CONTENT_DIR to a folder of another disk`,
    );
  }
}

/** The peer that keeps content for us does not answer, or its answer is not the requested content. */
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
