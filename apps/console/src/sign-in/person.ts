import type { Rights } from '#core/view/rights/rights';
import type { SignedInWith } from '#platform/console/proof/proof-maker';

/** A signed-in person. */
export type Person = Readonly<{
  name: string;
  groups: readonly string[];
  by: 'loopback' | 'oidc';
  rights: Rights;
  /** Names the session in limits; no secret. */
  session: string;
  /** Token that writes must send; empty with a bearer key. */
  csrf: string;
  /** Returns the proof of identity for applier and poller; undefined: the person must sign in again. */
  signedInWith?: () => Promise<SignedInWith | undefined>;
}>;
