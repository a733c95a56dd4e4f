import type { IdentityClaim } from '#core/cluster/membership/identity-claims';

/** Remembers across restarts the first cluster of each identity. Shared by the processes of a hub. */
export interface IdentityClaims {
  /** Returns undefined if no cluster has claimed the identity. */
  read(uid: string): Promise<IdentityClaim | undefined>;
  /** Keeps a claim in place of `before`. Returns the one that counts: of two first claims one wins. */
  keep(uid: string, claim: IdentityClaim, before: IdentityClaim | undefined): Promise<IdentityClaim>;
}

/** Claims that end with the process. */
export function memoryClaims(): IdentityClaims {
  const claims = new Map<string, IdentityClaim>();
  return {
    read: async (uid) => claims.get(uid),
    keep: async (uid, claim, before) => {
      const known = claims.get(uid);
      if (before === undefined && known !== undefined) return known;
      claims.set(uid, claim);
      return claim;
    },
  };
}
