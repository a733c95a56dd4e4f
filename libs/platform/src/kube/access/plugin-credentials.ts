import type { CredentialSource, Credentials } from '../transport/credentials.js';
import { textOf } from '../transport/transport.error.js';
import { ClusterConfigError } from './cluster-config.error.js';
import type { ExecConfig, PluginLogin } from './exec-credential.js';
import type { ClusterAccess } from './kubeconfig.js';
import { plainAccess } from './plain-access.js';
import { type PluginOptions, sharedLogins } from './plugin-logins.js';
import { PluginError, shownText } from './plugin-process.js';
import { fileTrouble, RequestCredentials } from './request-credentials.js';

/** Credentials that a login plugin gives (client.authentication.k8s.io), by the rules of client-go. */
export class PluginCredentials implements CredentialSource {
  readonly #request: RequestCredentials;
  readonly #logins: ReturnType<typeof sharedLogins>;
  /** The login of credentials that were given out. */
  readonly #given = new WeakMap<Credentials, PluginLogin>();
  #last: Readonly<{ login: PluginLogin; credentials: Credentials }> | undefined;

  constructor(
    private readonly access: ClusterAccess,
    private readonly exec: ExecConfig,
    options: PluginOptions,
  ) {
    this.#request = new RequestCredentials(access.user);
    this.#logins = sharedLogins(access, exec, options);
  }

  async current(): Promise<Credentials> {
    try {
      const applied = await plainAccess(this.access);
      const login = await this.#logins.current(async () => bytesOf(applied.ca));
      const { token, certificate } = login;
      const credentials = this.#request.make({
        ...applied,
        ...certificate,
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      });
      if (this.#last?.login === login && this.#last.credentials.tls === credentials.tls) return this.#last.credentials;
      this.#last = { login, credentials };
      this.#given.set(credentials, login);
      return credentials;
    } catch (error) {
      throw new ClusterConfigError(this.access.context, this.#explain(error));
    }
  }

  /** Forgets nothing if the login has already changed: many requests get 401 at once. */
  forget(used: Credentials | undefined): boolean {
    const login = used === undefined ? this.#last?.login : this.#given.get(used);
    if (login !== undefined) this.#logins.forget(login);
    return true;
  }

  pending(): string | undefined {
    const { pending } = this.#logins;
    return pending === undefined ? undefined : this.#named(pending);
  }

  close(): void {
    this.#logins.release();
  }

  #explain(error: unknown): string {
    if (error instanceof PluginError) return this.#named(error.message);
    return fileTrouble(error) ?? this.#named(`failed: ${shownText(textOf(error))}`);
  }

  #named(what: string): string {
    const hint = this.exec.installHint ? ` (${shownText(this.exec.installHint)})` : '';
    return `the credential plugin "${this.exec.command}" ${what}${hint}`;
  }
}

const bytesOf = (ca: string | Buffer | undefined): Buffer | undefined =>
  typeof ca === 'string' ? Buffer.from(ca) : ca;
