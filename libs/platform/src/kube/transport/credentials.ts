import type { RequestHeaders } from './wire.js';

/**
 * What a TLS connection to an API server needs. Two requests may share a connection only when
 * they hold the same object.
 */
export type TlsIdentity = Readonly<{
  ca?: string | Buffer;
  cert?: string | Buffer;
  key?: string | Buffer;
  servername?: string;
  rejectUnauthorized?: boolean;
}>;

/** What one request is authenticated with. Never logged, never put into a message. */
export type Credentials = Readonly<{ headers: RequestHeaders; tls: TlsIdentity }>;

/**
 * Where a cluster's credentials come from: fixed ones, files that are rotated, plugins
 * that issue short-lived ones.
 */
export interface CredentialSource {
  /** The credentials for the next request. */
  current(): Promise<Credentials>;
  /**
   * Called when the server answered 401 to these credentials: forgets them. Returns false if asking again
   * would give the same.
   */
  forget(used?: Credentials): boolean;
  /** What makes these credentials useless at that time; undefined where nothing is known. */
  fault?(now: Date): string | undefined;
  /** Describes what `current` waits for now: undefined if for nothing. */
  pending?(): string | undefined;
  /** Ends what is under way: nothing waits for it any more. */
  close?(): void;
}

/** Credentials that never change. */
export const fixedCredentials = (credentials: Credentials): CredentialSource => ({
  current: () => Promise.resolve(credentials),
  forget: () => false,
});
