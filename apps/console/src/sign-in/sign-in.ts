import { createHash, timingSafeEqual } from 'node:crypto';
import { ALL_RIGHTS } from '#core/view/rights/rights';
import type { Person } from './person.js';

/** Headers that prove the identity of the client. */
export type SignInHeaders = Readonly<{ authorization: string | undefined; cookie: string | undefined }>;

/** One way to sign in. */
export type SignIn = Readonly<{
  /** Returns the person. `isIdle`: a stream asks; this is no activity of the person. */
  personOf(credentials: SignInHeaders, how?: Readonly<{ isIdle?: boolean }>): Promise<Person | undefined>;
}>;

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Signs in with the key of this machine: its owner could run the hub's command anyway, and may do everything.
 */
export function keySignIn(key: string): SignIn {
  const expected = digest(key);
  const person: Person = {
    name: 'local',
    groups: [],
    by: 'loopback',
    rights: ALL_RIGHTS,
    session: 'key',
    csrf: '',
    signedInWith: async () => ({ key }),
  };
  return {
    personOf: async ({ authorization = '' }) => {
      const [, sent] = /^Bearer ([\w-]{16,200})$/.exec(authorization) ?? [];
      return sent !== undefined && timingSafeEqual(digest(sent), expected) ? person : undefined;
    },
  };
}
