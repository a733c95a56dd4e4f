type Claims = Readonly<Record<string, unknown>>;

/**
 * Merges the claims of an ID token with those that userinfo adds. The mark of a verified address comes from
 * the source of that address: userinfo may give another address.
 */
export function mergedClaims(token: Claims, userInfo: Claims): Claims {
  const isOfUserInfo =
    token['email'] === undefined || (token['email_verified'] === undefined && token['email'] === userInfo['email']);
  const verified = (isOfUserInfo ? userInfo : token)['email_verified'];
  return { ...userInfo, ...token, email_verified: verified };
}

/** In seconds. */
const MOST_AHEAD = 60;

/** True if a token was issued further in the future than a fast clock explains. */
export const isIssuedAhead = (claims: Claims, now: Date): boolean =>
  typeof claims['iat'] === 'number' && claims['iat'] > now.getTime() / 1_000 + MOST_AHEAD;

/** Returns the path after a sign-in: a page of the console, otherwise its first one. */
export function returnPath(wanted: unknown): string {
  const isPath = typeof wanted === 'string' && wanted.length <= 2_000 && /^\/(?![/\\])[\x21-\x7e]*$/.test(wanted);
  return isPath && !wanted.includes('\\') && !/^\/(api|auth|icons)(\/|$|\?)/.test(wanted) ? wanted : '/';
}
