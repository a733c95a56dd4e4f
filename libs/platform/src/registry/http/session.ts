import type { Refuse } from '../client/image-manifest.js';
import type { ImageReference } from '../client/image-reference.js';
import type { PullOptions } from '../client/registry-client.port.js';

/**
 * The store of the logins, named in advice: pull secrets of a cluster, or the files of docker and podman of a
 * machine.
 */
export type LoginsOf = 'cluster' | 'machine';

/** One pull or push at one place: its subject, its client and its deadline. */
export type Session = Readonly<{
  /** The image's own reference. If mirrors replace its repository, rights are still counted by its name. */
  source: ImageReference;
  /** The reference that is requested: the image's own, or that of a mirror. */
  reference: ImageReference;
  credentials: PullOptions['credentials'];
  action: 'pull' | 'pull,push';
  loginsOf: LoginsOf;
  signal: AbortSignal;
  refuse: Refuse;
  /** The requested part of the image, as {@link partName}; absent for the image itself. */
  part?: string;
}>;
