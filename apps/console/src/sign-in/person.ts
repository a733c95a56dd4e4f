import type { Rights } from '#core/fleet/console-rights/rights';

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
}>;
