import type { Refuse } from '../image/image-manifest.js';
import type { ImageReference } from '../image-reference.js';
import type { PullOptions } from '../registry-client.port.js';

/** One pull or push at one place: what it is about, who does it, when it must have ended. */
export type Session = Readonly<{
  /** Where it is asked for: the image's own reference, or that of a mirror. */
  reference: ImageReference;
  credentials: PullOptions['credentials'];
  action: 'pull' | 'pull,push';
  signal: AbortSignal;
  refuse: Refuse;
}>;
