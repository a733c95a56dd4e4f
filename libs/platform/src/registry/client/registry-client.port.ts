import type { BundleFile } from '#core/catalog/model/bundle-file';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Digest } from '../../content/content-store.port.js';
import type { RecentImages } from './recent-images.js';

export type PasswordLogin = Readonly<{ username: string; password: string }>;

/** How to log in to a registry. Never logged. */
export type Login =
  | PasswordLogin
  /** An OAuth2 refresh token, exchanged for an access token (`identitytoken` of a Docker config). */
  | Readonly<{ identityToken: string }>
  /** A bearer token that the registry takes as it is (`registrytoken` of a Docker config). */
  | Readonly<{ registryToken: string }>;

/**
 * Logins for registries, as in a Docker config file: the key is a host, or a host and the beginning of a
 * repository path; `*` stands for one part of the host.
 */
export type RegistryCredentials = Readonly<Record<string, Login>>;

/**
 * Returns the folders of an image with wanted files, given its labels; without slashes at their ends. An
 * empty one is the whole image.
 */
export type FoldersOf = (labels: Readonly<Record<string, string>>) => readonly string[];
/** Returns the one folder with wanted files. */
export type FolderOf = (labels: Readonly<Record<string, string>>) => string;

/** Reads the files of folders of an image during its pull. `what`: the folders in words, for errors. */
export type ReadFiles = (folders: readonly string[], what: string) => Promise<readonly BundleFile[]>;

export type PullOptions = Readonly<{
  credentials?: RegistryCredentials;
  signal?: AbortSignal;
  /**
   * Called with bytes before they are written to disk, below 0 when they are gone again. An error from it
   * ends the pull.
   */
  onDisk?: (bytes: number) => void;
  /** Most bytes of all wanted files, if less than the client's own limit is allowed. */
  maxWantedBytes?: number;
  /**
   * Reads the files in its own way. It may take several steps, all in one pull, if the first files name the
   * next ones. Without it the files are those of the wanted folders.
   */
  readFiles?: (labels: Readonly<Record<string, string>>, read: ReadFiles) => Promise<readonly BundleFile[]>;
  /** Images that need not be read again. All pulls that name the same one want the same files of an image. */
  recent?: RecentImages;
}>;

/** An image's files below the directory that its label names, layers applied in order, whiteouts honoured. */
export type PulledImage = Readonly<{
  /** Digest of the platform's image manifest: "the same content" means the same digest. */
  digest: Digest;
  /** Digest of the reference, from `resolve`: that of the index if there is one, otherwise `digest`. */
  resolved: Digest;
  labels: Readonly<Record<string, string>>;
  /** Regular files; paths relative to the image root, `/` between, sorted. */
  files: readonly BundleFile[];
}>;

/** An image with its wanted files in a directory. */
export type UnpackedImage = Omit<PulledImage, 'files'> &
  Readonly<{
    /** Bytes of all files, every name counted. */
    bytes: number;
    /** How many. */
    files: number;
  }>;

/** An OCI distribution registry. */
export abstract class RegistryClient {
  /**
   * True if images of this name must be signed: then no content counts that this client has not judged.
   */
  asksForSignature(_reference: string): boolean {
    return false;
  }
  /**
   * The same text for the same host, repository and logins, and for no others; says nothing about the logins.
   */
  abstract access(reference: string, options?: PullOptions): string;
  /** Digest that the reference names now; one HEAD request. */
  abstract resolve(reference: string, options?: PullOptions): Promise<Digest>;
  /**
   * Pulls config and layers, checks every digest and bound, and gives the files of the wanted folders.
   */
  abstract pull(reference: string, foldersOf: FoldersOf, options?: PullOptions): Promise<PulledImage>;
  /**
   * As {@link pull}, with the files streamed to disk: memory does not grow with files or layers. Their paths
   * below `directory` are relative to the wanted folder. The directory must be empty or not there; it appears
   * when all is checked, and not at all if the pull fails. Throws UnpackFailed if the disk refuses.
   */
  abstract pullTo(
    reference: string,
    directory: string,
    folderOf: FolderOf,
    options?: PullOptions,
  ): Promise<UnpackedImage>;
}

export type RegistryFailure =
  | 'InvalidReference'
  | 'Unreachable'
  | 'Unauthorized'
  /** The hub's own policy refuses the host or its address. */
  | 'NotAllowed'
  /** The signature policy refuses the content. */
  | 'NotAdmitted'
  | 'NotFound'
  /** The registry has the manifest of the image, and not all that the manifest names. */
  | 'Incomplete'
  | 'DigestMismatch'
  | 'UnsafePath'
  | 'TooLarge'
  | 'Unsupported'
  /** The content does not have the expected form. */
  | 'Malformed'
  /**
   * The server that answered is no registry, or is none just now: a web page, an answer that no registry
   * gives.
   */
  | 'NotARegistry';

/** Failures that may be over at the next try, of the same input. */
const MAY_PASS: ReadonlySet<RegistryFailure> = new Set([
  ...(['Unreachable', 'NotFound', 'NotARegistry', 'Incomplete', 'DigestMismatch', 'NotAdmitted'] as const),
]);

/** Failures with a fault in the image itself. */
const OF_CONTENT: ReadonlySet<RegistryFailure> = new Set([
  ...(['Malformed', 'Unsupported', 'UnsafePath', 'TooLarge', 'Incomplete', 'DigestMismatch', 'NotAdmitted'] as const),
]);

/**
 * A pull or push that failed: `failure` says how; the message says the place and the remedy. Never holds
 * credentials.
 */
export class RegistryError extends FlotillaError {
  readonly code = 'RegistryError';
  readonly retry: Retry;
  constructor(
    readonly failure: RegistryFailure,
    readonly reference: string,
    message: string,
  ) {
    super(message);
    this.retry = MAY_PASS.has(failure) ? 'backoff' : 'when-input-changes';
  }

  /** True if the registry gave the image, but the content of the image cannot be used. */
  get isOfContent(): boolean {
    return OF_CONTENT.has(this.failure);
  }
}

/** The wanted files of an image have more bytes than may be read; others of the same image may be read. */
export class FilesTooLarge extends RegistryError {}
