import { readFile } from 'node:fs/promises';
import type { ClientAuth, Configuration, IDToken } from 'openid-client';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { isLoopback } from '#core/kernel/http-access/loopback';
import { IssuerConnections, type IssuerRequest } from '#platform/console/issuer-connections';
import { fileReason } from '#platform/files/file-tree.error';
import type { SelectableKind } from '#platform/outbound/address-kind';
import { isIssuedAhead, mergedClaims } from './account.js';
import { issuerFetch } from './issuer-fetch.js';

/** Settings of the issuer. */
type IssuerSettings = Readonly<{
  issuer: string;
  clientId: string;
  /** Empty: a public client. */
  clientSecretFile: string;
  scopes: string;
  /** The kinds of addresses that the issuer may use for its endpoints. */
  addresses: readonly SelectableKind[];
}>;

/** Sign-in by an issuer is set up wrongly. */
export class IssuerUnusable extends FlotillaError {
  readonly code = 'IssuerUnusable';
  readonly retry: Retry = 'when-input-changes';
}

/** Proof that one sign-in must bring back. */
type SignInProof = Readonly<{ state: string; nonce: string; verifier: string }>;

export type IssuerAnswer = Readonly<{
  claims: Readonly<Record<string, unknown>>;
  refresh: string | undefined;
  /** The ID token; undefined: the issuer gave none with a refresh. */
  token: string | undefined;
}>;

const library = () => import('openid-client');
const TIMEOUT_S = 10;

/** The issuer of accounts (OpenID Connect): authorization code with PKCE, state and nonce. */
export class Issuer {
  #known: Promise<Configuration> | undefined;
  readonly #connections: IssuerConnections;

  constructor(
    private readonly settings: IssuerSettings,
    /** The address that the issuer sends people back to. */
    private readonly redirectUri: () => string,
  ) {
    const { protocol, hostname } = new URL(settings.issuer);
    if (protocol !== 'https:' && !isLoopback(hostname))
      throw new IssuerUnusable(`FLOTILLA_CONSOLE_OIDC_ISSUER is not https: ${settings.issuer}`);
    if (settings.clientId === '') throw new IssuerUnusable('FLOTILLA_CONSOLE_OIDC_CLIENT_ID is not set');
    this.#connections = new IssuerConnections(settings);
  }

  async newProof(): Promise<SignInProof> {
    const { randomState, randomNonce, randomPKCECodeVerifier } = await library();
    return { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  }

  /** Returns the issuer's address for the browser. */
  async signInUrl({ state, nonce, verifier }: SignInProof): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
    return buildAuthorizationUrl(await this.#configuration(), {
      ...{ redirect_uri: this.redirectUri(), scope: this.settings.scopes, state, nonce },
      ...{ code_challenge: await calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }).href;
  }

  /** @throws if the answer does not belong to this sign-in */
  async finish(query: string, { state, nonce, verifier }: SignInProof): Promise<IssuerAnswer> {
    const { authorizationCodeGrant } = await library();
    const configuration = await this.#configuration();
    const tokens = await authorizationCodeGrant(configuration, new URL(`${this.redirectUri()}?${query}`), {
      ...{ pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true },
    });
    const { refresh_token: refresh, id_token: token } = tokens;
    return { claims: await claimsOf(configuration, tokens), refresh, token };
  }

  /**
   * Returns the issuer's present answer; undefined if it has ended the session.
   *
   * @throws if it does not answer
   */
  async renew(refresh: string): Promise<IssuerAnswer | undefined> {
    const { refreshTokenGrant, ResponseBodyError } = await library();
    const configuration = await this.#configuration();
    try {
      const tokens = await refreshTokenGrant(configuration, refresh);
      const { refresh_token: next = refresh, id_token: token } = tokens;
      return { claims: await claimsOf(configuration, tokens), refresh: next, token };
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return undefined;
      throw error;
    }
  }

  /** Asked for once; after a failure again with the next sign-in. */
  #configuration(): Promise<Configuration> {
    this.#known ??= this.#discover().catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, customFetch, enableNonRepudiationChecks } = await library();
    const { issuer, clientId, clientSecretFile } = this.settings;
    const server = new URL(issuer);
    const auth = await clientAuth(clientSecretFile);
    // Plain http is for an issuer on this machine alone.
    const insecure = server.protocol === 'http:' ? [allowInsecureRequests] : [];
    // The signature of each ID token is checked, too, in addition to its source.
    const execute = [...insecure, enableNonRepudiationChecks];
    const configuration = await discovery(server, clientId, undefined, auth, {
      ...{ execute, timeout: TIMEOUT_S },
      [customFetch]: (address: string, request: IssuerRequest) => issuerFetch(this.#connections, address, request),
    });
    // The browser of the person goes there.
    const { authorization_endpoint: page } = configuration.serverMetadata();
    const refusal = page === undefined ? undefined : this.#connections.refusalOf(page);
    if (refusal !== undefined) throw new IssuerUnusable(`the issuer ${issuer} names a page for sign-ins: ${refusal}`);
    return configuration;
  }
}

type Tokens = Readonly<{ access_token: string; claims: () => IDToken | undefined }>;

/** Claims of the issuer about the person. @throws if the token is of a time to come */
async function claimsOf(configuration: Configuration, tokens: Tokens): Promise<Readonly<Record<string, unknown>>> {
  const { fetchUserInfo } = await library();
  const claims = tokens.claims();
  if (claims === undefined) return {};
  if (isIssuedAhead(claims, new Date())) throw new Error('the ID token was issued in the future');
  const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
  return mergedClaims(claims, hasMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {});
}

/** Authenticates as the issuer requires; with HTTP Basic if it accepts both. */
async function clientAuth(file: string): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await library();
  if (file === '') return None();
  const secret = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new IssuerUnusable(`FLOTILLA_CONSOLE_OIDC_CLIENT_SECRET_FILE: ${file} cannot be read (${fileReason(error)})`);
  });
  const [basic, post] = [ClientSecretBasic(secret.trim()), ClientSecretPost(secret.trim())];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, client, body, headers);
  };
}
