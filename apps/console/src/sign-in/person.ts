import type { Rights } from '../policy/policy.js';

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
