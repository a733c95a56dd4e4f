import { z } from 'zod';

/** A session as it is stored: neither its id nor a token that could be used. */
export const StoredSession = z.strictObject({
  name: z.string(),
  groups: z.array(z.string()),
  /** A field of an earlier release: writes had to send it. It is not used. */
  csrf: z.string().optional(),
  /** Milliseconds since 1970. */
  beganMs: z.number(),
  seenMs: z.number(),
  /** When the issuer was last asked for the groups. */
  groupsMs: z.number(),
  /** Encrypted refresh token. Absent if the issuer gives none. */
  refresh: z.string().optional(),
  /** The encrypted ID token. With it the person proves their identity to applier and poller. */
  token: z.string().optional(),
  /** End of the ID token. */
  tokenUntilMs: z.number().optional(),
});
export type StoredSession = z.infer<typeof StoredSession>;

/** Sessions by the hash of their id. */
export type SessionStore = Readonly<{
  get(hash: string): Promise<StoredSession | undefined>;
  put(hash: string, session: StoredSession, seconds: number): Promise<void>;
  remove(hash: string): Promise<void>;
}>;
