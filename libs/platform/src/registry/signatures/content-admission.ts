import { LRUCache } from 'lru-cache';
import {
  admitContent,
  asksForSignature,
  type ContentVerdict,
  type SignatureClaim,
} from '#core/kernel/signatures/admit-content';
import { type Authority, ruleFor } from '#core/kernel/signatures/signature-policy';
import type { Digest } from '../../content/content-store.port.js';
import type { ImageReference } from '../client/image-reference.js';
import type { RegistryTransport } from '../http/registry-transport.js';
import type { Session } from '../http/session.js';
import { claimsOf } from './claims-of.js';
import type { ContentJudge } from './content-judge.port.js';
import type { FoundSignature } from './found-signature.js';
import type { ReadPolicy } from './policy-file.js';
import { SignatureStorage } from './signature-storage.js';

/**
 * Most contents remembered as admitted, and milliseconds until they are judged again. Certificates may expire
 * in that hour.
 */
const REMEMBERED = { max: 10_000, ttl: 3_600_000 };

/** Finds the signatures of one kind of storage. */
type Find = (session: Session, digest: Digest) => Promise<readonly FoundSignature[]>;
/** `isSigned`: a signature was found, valid or not. */
type Judged = Readonly<{ admission: ContentVerdict; isSigned: boolean }>;

/**
 * Judges content by the signatures next to it. It applies the policy for the name that the user wrote.
 * Refused content is judged again each time: it may have been signed since.
 */
export class ContentAdmission implements ContentJudge {
  readonly #storage: SignatureStorage;
  readonly #admitted = new LRUCache<string, true>(REMEMBERED);

  constructor(
    private readonly read: ReadPolicy,
    transport: RegistryTransport,
    private readonly now: () => Date = () => new Date(),
  ) {
    this.#storage = new SignatureStorage(transport);
  }

  asksForSignature(image: ImageReference): boolean {
    return asksForSignature(this.read.policy, image);
  }

  async check(session: Session, digest: Digest, platform: () => Promise<Digest>): Promise<void> {
    if (!this.asksForSignature(session.source)) return;
    const named = await this.#judge(session, digest);
    if (named.admission.admitted) return;
    const below = await platform();
    const ofPlatform = below === digest ? named : await this.#judge(session, below);
    if (ofPlatform.admission.admitted) return;
    // The verdict on the platform's image helps more if only that one has signatures.
    const admission = ofPlatform.isSigned && !named.isSigned ? ofPlatform.admission : named.admission;
    throw session.refuse('NotAdmitted', admission.text);
  }

  async #judge(session: Session, digest: Digest): Promise<Judged> {
    const { policy } = this.read;
    const { source: image } = session;
    const content = { image, digests: [digest] };
    const rule = policy.problem === undefined ? ruleFor(policy, image) : undefined;
    const key = `${rule?.scope} ${digest}`;
    if (this.#admitted.has(key)) return { admission: { admitted: true }, isSigned: true };
    const claims: SignatureClaim[] = [];
    for (const find of this.#storages(rule?.accepts ?? [])) {
      for (const found of await find(session, digest)) {
        claims.push(...(await this.#claims(found, digest, rule?.accepts ?? [])));
      }
      const admission = admitContent(policy, content, claims);
      if (!admission.admitted) continue;
      this.#admitted.set(key, true);
      return { admission, isSigned: true };
    }
    return { admission: admitContent(policy, content, claims), isSigned: claims.length > 0 };
  }

  #claims(found: FoundSignature, digest: Digest, accepts: readonly Authority[]): Promise<readonly SignatureClaim[]> {
    return claimsOf(found, digest, { accepts, materials: this.read.materials, now: this.now() });
  }

  /** Notation does not use cosign's tag. No signature is looked for if none would be accepted. */
  #storages(accepts: readonly Authority[]): readonly Find[] {
    const tagged: Find = (session, digest) => this.#storage.tagged(session, digest);
    const referring: Find = (session, digest) => this.#storage.referring(session, digest);
    if (accepts.length === 0) return [];
    return accepts.some(({ kind }) => kind !== 'certificate') ? [tagged, referring] : [referring];
  }
}
