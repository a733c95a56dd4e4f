import type { Digest } from '../../content/content-store.port.js';
import type { ImageReference } from '../client/image-reference.js';
import type { Session } from '../http/session.js';

/** Decides by the signers of an image if it may be used. */
export type ContentJudge = Readonly<{
  /** True if images of this name must be signed. */
  asksForSignature: (image: ImageReference) => boolean;
  /**
   * Throws RegistryError NotAdmitted unless the digest that the reference names, or that of the platform's
   * image below it, is signed as the policy asks.
   */
  check: (session: Session, digest: Digest, platform: () => Promise<Digest>) => Promise<void>;
}>;
