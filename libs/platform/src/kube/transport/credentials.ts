import type { RequestHeaders } from './wire.js';

/**
 * Settings of a TLS connection to an API server. Two requests may share a connection only when they hold the
 * same object.
 */
export type TlsIdentity = Readonly<{
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}>;

/** Credentials of one request. Never logged, never put into a message. */
export type Credentials = Readonly<{ headers: RequestHeaders; tls: TlsIdentity }>;

/**
 * Source of a cluster's credentials: fixed ones, files that are rotated, plugins that issue short-lived ones.
 */
export interface CredentialSource {
  /** The credentials for the next request. */
  current(): Promise<Credentials>;
  /**
   * Called when the server answered 401 to these credentials: forgets them. Returns false if asking again
   * would give the same.
   */
  forget(used?: Credentials): boolean;
  /** Returns the reason these credentials are useless at that time. Returns undefined if nothing is known. */
  fault?(now: Date): string | undefined;
  /** Describes the wait of `current` now. Undefined if it waits for nothing. */
  pending?(): string | undefined;
  /** Ends active work: nothing waits for it any more. */
  close?(): void;
}

/** Credentials that never change. */
export const fixedCredentials = (credentials: Credentials): CredentialSource => ({
  current: () => Promise.resolve(credentials),
  forget: () => false,
});
