import { z } from 'zod';

/** Facts in the token of a ServiceAccount; the token itself is no part of them. Times in milliseconds. */
export type AccountToken = Readonly<{
  namespace: string;
  name: string;
  issuedAt?: number;
  /** Absent: the token does not end. */
  expiresAt?: number;
}>;

/** The last second of the year 9999. */
const LAST_SECOND = 253_402_300_799;
const Seconds = z.number().int().positive().max(LAST_SECOND);
const Claims = z.looseObject({ sub: z.string().max(512), iat: Seconds.optional(), exp: Seconds.optional() });
const ACCOUNT = /^system:serviceaccount:([a-z0-9-]{1,63}):([a-z0-9.-]{1,253})$/;
/** Kubernetes' own tokens have 1 to 2 KiB. */
const LONGEST_TOKEN = 32_768;

/** Reads the claims of a ServiceAccount's token (RFC 7519); undefined for any other login. */
export function accountToken(token: string): AccountToken | undefined {
  const [, payload] = token.length <= LONGEST_TOKEN ? token.split('.') : [];
  if (payload === undefined) return undefined;
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const claims = Claims.safeParse(decoded).data;
  const [, namespace, name] = ACCOUNT.exec(claims?.sub ?? '') ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const { iat, exp } = claims ?? {};
  return {
    namespace,
    name,
    ...(iat !== undefined && { issuedAt: iat * 1_000 }),
    ...(exp !== undefined && { expiresAt: exp * 1_000 }),
  };
}

/** Assumed lifetime of a token with an unknown start: one hour. */
const DEFAULT_LIFETIME_MS = 3_600_000;
/** kube-apiserver refuses shorter ones. */
const SHORTEST_LIFETIME_MS = 600_000;

/** Returns for how long the token was given. */
export function lifetimeOf({ issuedAt, expiresAt }: AccountToken): number {
  const lifetime = (expiresAt ?? 0) - (issuedAt ?? (expiresAt ?? 0) - DEFAULT_LIFETIME_MS);
  return Math.max(lifetime, SHORTEST_LIFETIME_MS);
}

/**
 * Returns the time of renewal of a token: half of its life. The API server may be unreachable for the other
 * half. Returns undefined if the token does not expire.
 */
export const renewedFrom = (token: AccountToken): number | undefined =>
  token.expiresAt === undefined ? undefined : token.expiresAt - lifetimeOf(token) / 2;
