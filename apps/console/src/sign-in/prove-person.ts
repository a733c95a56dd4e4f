import { ProofKeysUnusable } from '#platform/console/proof/proof-keys';
import { ProofMaker, type Prove } from '#platform/console/proof/proof-maker';
import { RequestProblem, signInAgain } from '../api/problem.js';
import type { Person } from './person.js';

/** Makes the proof that a person sends this action or question. */
export type ProvePerson = (person: Person, proved: Parameters<Prove>[0]) => Promise<string>;

/** @throws RequestProblem if the person must sign in again, or the console has no keys for proofs */
export const provePerson =
  (maker: ProofMaker): ProvePerson =>
  async (person, proved) => {
    const signedInWith = await person.signedInWith?.();
    if (signedInWith === undefined) throw signInAgain();
    return maker.make(proved, signedInWith).catch((error: unknown) => {
      if (!(error instanceof ProofKeysUnusable)) throw error;
      const why = 'This console cannot prove your identity to the hub.';
      throw new RequestProblem(503, 'no-proof-keys', why, `${error.message}.`);
    });
  };
