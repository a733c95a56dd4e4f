import { randomUUID } from 'node:crypto';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import type { ProofCredential, ProofReader } from '#core/view/proof/console-proof';
import type { Clock } from '../../clock/clock.port.js';
import { ProofKeysUnusable, type PublicProofKeys, readProofKeys } from './proof-keys.js';
import { codeOfKey, sealProof } from './sealed-proof.js';

/** Sign-in of a person, as it is now. */
export type SignedInWith = Readonly<{ token: string } | { key: string }>;

/** Makes the proof that goes with an action or a question, for its reader. */
export type Prove = (proved: Readonly<{ reader: ProofReader; verb: string; subject: unknown }>) => Promise<string>;

const READ_AGAIN_AFTER_MS = 10_000;

/** Encrypts proofs for applier and poller, with the public keys that the console was given. */
export class ProofMaker {
  #known: Readonly<{ keys: PublicProofKeys; atMs: number }> | undefined;

  /** `keys`: those of the hub in the same process, or the file that has them. */
  constructor(
    private readonly keys: PublicProofKeys | string,
    private readonly clock: Clock,
  ) {}

  /** Returns the reason why no proof can be made. Returns undefined if one can. */
  async problem(): Promise<string | undefined> {
    return this.#current().then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  /** @throws ProofKeysUnusable */
  async make({ reader, verb, subject }: Parameters<Prove>[0], signedInWith: SignedInWith): Promise<string> {
    const keys = await this.#current();
    const atMs = this.clock.now().getTime();
    const statement = { v: 1, reader, verb, subject: canonicalHash(subject), nonce: randomUUID(), atMs } as const;
    const by: ProofCredential =
      'token' in signedInWith ? signedInWith : { code: codeOfKey(signedInWith.key, statement) };
    return sealProof({ ...statement, by }, keys[reader]);
  }

  /** The file is read again, since it is another one after the hub's key was changed. */
  async #current(): Promise<PublicProofKeys> {
    const { keys } = this;
    if (typeof keys !== 'string') return keys;
    if (keys === '') throw new ProofKeysUnusable('is not set');
    const nowMs = this.clock.now().getTime();
    if (this.#known !== undefined && nowMs - this.#known.atMs < READ_AGAIN_AFTER_MS) return this.#known.keys;
    this.#known = { keys: await readProofKeys(keys), atMs: nowMs };
    return this.#known.keys;
  }
}
