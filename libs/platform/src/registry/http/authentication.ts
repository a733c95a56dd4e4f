import type { RegistryError } from '../client/registry-client.port.js';
import { loginFor } from '../logins/registry-credentials.js';
import { boundedBytes } from './answers.js';
import type { HttpExchange } from './http-exchange.js';
import { basic, parseChallenge, type TokenQuery, tokenOf, tokenRequest } from './registry-auth.js';
import type { LoginsOf, Session } from './session.js';

const MAX_TOKENS = 1000;
const MAX_TOKEN_BYTES = 1024 * 1024;

/**
 * Makes the authorization that registries require of a request. Holds no state but tokens, each for one
 * login, host and repository.
 */
export class Authentication {
  readonly #tokens = new Map<string, { authorization: string; expires: number }>();

  constructor(private readonly exchange: HttpExchange) {}

  /** Returns the authorization that may be sent at once, before the registry asks for it. */
  known(session: Session, url: URL): string | undefined {
    const token = this.#tokens.get(tokenKey(session, url));
    return token !== undefined && token.expires > performance.now() ? token.authorization : undefined;
  }

  /** The answer to a challenge, or a RegistryError Unauthorized. */
  async answer(session: Session, url: URL, header: string): Promise<string> {
    const login = loginFor(session.reference, session.credentials);
    if (login !== undefined && 'registryToken' in login) {
      return this.#remember(session, url, `Bearer ${login.registryToken}`, 3600);
    }
    const challenge = parseChallenge(header);
    if (challenge.scheme === 'basic' && login !== undefined && 'password' in login) {
      return this.#remember(session, url, basic(login), 3600);
    }
    if (challenge.scheme !== 'bearer') throw unauthorized(session, url);
    const scope = `repository:${session.reference.repository}:${session.action}`;
    const { value, seconds } = await this.#token(session, { challenge, scope, login, asked: url });
    return this.#remember(session, url, `Bearer ${value}`, seconds - 10);
  }

  #remember(session: Session, url: URL, authorization: string, seconds: number): string {
    if (this.#tokens.size >= MAX_TOKENS) this.#tokens.clear();
    this.#tokens.set(tokenKey(session, url), { authorization, expires: performance.now() + seconds * 1000 });
    return authorization;
  }

  async #token(session: Session, query: TokenQuery) {
    const { url, authorization, ...request } = tokenRequest(query, session.refuse);
    const { response } = await this.exchange.follow(session, url, request, authorization);
    if ([400, 401, 403].includes(response.status)) {
      await response.body?.cancel();
      throw unauthorized(session, url);
    }
    const bytes = await boundedBytes(this.exchange.chunks(session, url, response), MAX_TOKEN_BYTES, session.refuse);
    if (response.ok) return tokenOf(parseOrUndefined(bytes), session.refuse);
    throw this.exchange.failed(session, url, response, bytes);
  }
}

function tokenKey({ reference, credentials, action }: Session, url: URL): string {
  return JSON.stringify([url.host, reference.repository, action, loginFor(reference, credentials)]);
}

/** Makes the error of a missing or refused login: it names which of both, and the host. */
export function unauthorized(session: Session, url: URL): RegistryError {
  const { reference, credentials } = session;
  const login = loginFor(reference, credentials);
  const [give, renew] = ADVICE[session.loginsOf](reference.host);
  const why =
    login === undefined
      ? `${url.host} asks for a login and no credentials were given for ${reference.host}: ${give}`
      : `the credentials given for ${reference.host} were refused by ${url.host}: ${renew}, or check that the repository exists`;
  return session.refuse('Unauthorized', why);
}

/** How to give credentials, and how to give new ones. */
const ADVICE: Readonly<Record<LoginsOf, (host: string) => readonly [give: string, renew: string]>> = {
  cluster: () => ['name a pull secret', 'renew the pull secret'],
  machine: (host) => [`log in with "docker login ${host}"`, `log in again with "docker login ${host}"`],
};

const parseOrUndefined = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
};
