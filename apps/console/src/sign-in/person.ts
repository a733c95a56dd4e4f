import type { Rights } from '#core/view/rights/rights';
import type { SignedInWith } from '#platform/console/proof/proof-maker';

/** Who is signed in. */
export type Person = Readonly<{
  name: string;
  groups: readonly string[];
  by: 'loopback' | 'oidc';
  rights: Rights;
  /** Names the session in limits; no secret. */
  session: string;
  /** Which writes must send; empty with a bearer key. */
  csrf: string;
  /** Returns what proves to applier and poller who it is; undefined: the person must sign in again. */
  signedInWith?: () => Promise<SignedInWith | undefined>;
}>;
