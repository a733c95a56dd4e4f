/**
 * How a proof came: `first` · `elsewhere`: another process of this service took the same message · `used`: it
 * came before in another message, so a client of Redis sent it again.
 */
export type ProofUse = 'first' | 'elsewhere' | 'used';

/** Remembers the proofs that a service has accepted, longer than a proof is valid; also after a restart. */
export type UsedProofs = Readonly<{
  /**
   * Takes a proof. `part`: a part of its claim, such as one cluster. `delivery` names the message that
   * carried it.
   */
  take(proof: Readonly<{ nonce: string; part: string; delivery: string }>): Promise<ProofUse>;
}>;
