import type { Refuse } from '../client/image-manifest.js';
import type { ImageReference } from '../client/image-reference.js';
import type { PullOptions } from '../client/registry-client.port.js';

/**
 * Where logins are kept, and so what advice names: pull secrets of a cluster, or the files of docker
 * and podman of a machine.
 */
export type LoginsOf = 'cluster' | 'machine';

/** One pull or push at one place: its subject, its client and its deadline. */
export type Session = Readonly<{
  /**
   * The image's own reference. Where mirrors stand in for its repository, rights are
   * still counted by its name.
   */
  source: ImageReference;
  /** Where it is asked for: the image's own reference, or that of a mirror. */
  reference: ImageReference;
  credentials: PullOptions['credentials'];
  action: 'pull' | 'pull,push';
  loginsOf: LoginsOf;
  signal: AbortSignal;
  refuse: Refuse;
  /** The requested part of the image, as {@link partName}; absent for the image itself. */
  part?: string;
}>;
