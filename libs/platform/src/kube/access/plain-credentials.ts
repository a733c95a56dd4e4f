import { readFile } from 'node:fs/promises';
import type { CredentialSource, Credentials } from '../transport/credentials.js';
import { textOf } from '../transport/transport.error.js';
import { ClusterConfigError } from './cluster-config.error.js';
import type { ClusterAccess } from './kubeconfig.js';
import { plainAccess } from './plain-access.js';
import { fileTrouble, RequestCredentials } from './request-credentials.js';

/** Time after which a token file is read again, as in client-go. */
const REREAD_MS = 60_000;

type HeldToken = Readonly<{ token: string; readAt: number }>;

/**
 * Credentials that a kubeconfig has: a token, a password, certificates, or files with these. The files are
 * rotated.
 */
export class PlainCredentials implements CredentialSource {
  readonly #request: RequestCredentials;
  readonly #constant: boolean;
  #remembered: Credentials | undefined;
  #token: HeldToken | undefined;

  constructor(
    private readonly access: ClusterAccess,
    private readonly now: () => number = Date.now,
  ) {
    this.#request = new RequestCredentials(access.user);
    this.#constant = isConstant(access);
  }

  async current(): Promise<Credentials> {
    if (this.#constant && this.#remembered !== undefined) return this.#remembered;
    try {
      const applied = await plainAccess(this.access);
      const token = await this.#fileToken();
      const headers = token === undefined ? applied.headers : { Authorization: `Bearer ${token}` };
      this.#remembered = this.#request.make({ ...applied, ...(headers && { headers }) });
      return this.#remembered;
    } catch (error) {
      throw new ClusterConfigError(this.access.context, fileTrouble(error) ?? textOf(error));
    }
  }

  forget(): boolean {
    this.#token = undefined;
    return !this.#constant;
  }

  fault(now: Date): string | undefined {
    return this.#request.fault(now);
  }

  /** A file that cannot be read now does not take a token away that still may hold. */
  async #fileToken(): Promise<string | undefined> {
    const { tokenFile, token: written } = this.access.user;
    if (!tokenFile) return undefined;
    const held = this.#token;
    if (held !== undefined && this.now() - held.readAt < REREAD_MS) return held.token;
    const known = held?.token ?? written ?? undefined;
    try {
      const token = (await readFile(tokenFile, 'utf8')).trim();
      if (token === '') throw new Error(`token file ${tokenFile} is empty`);
      this.#token = { token, readAt: this.now() };
      return token;
    } catch (error) {
      if (known) return known;
      throw error;
    }
  }
}

/** True if nothing in it is read from a file. */
function isConstant({ cluster, user }: ClusterAccess): boolean {
  const moving = [user.tokenFile, user['client-certificate'], user['client-key']];
  return [...moving, cluster['certificate-authority']].every((source) => !source);
}
