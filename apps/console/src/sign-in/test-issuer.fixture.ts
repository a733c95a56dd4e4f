import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An account as the issuer knows it; absent: the person refuses. */
export type IssuedAccount = Readonly<Record<string, unknown>> & Readonly<{ sub: string }>;

type Code = Readonly<{ challenge: string; nonce: string; redirectUri: string }>;

const CLIENT = 'flotilla';
export const ISSUED_SECRET = 'secret-of-the-console';
const MINUTES_5 = 300;

const bodyOf = async (request: IncomingMessage): Promise<URLSearchParams> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
};

/** Signing of ID tokens by a hostile issuer; absent parts are as they should be. */
export type SpoiltSignature = Readonly<{ alg?: string; kid?: string; key?: 'other' | 'public as secret' | 'none' }>;

type KeyPair = Readonly<{ publicKey: KeyObject; privateKey: KeyObject }>;
const newKeys = (): KeyPair => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A small OpenID provider on loopback: checks client, redirect address and PKCE, and signs with RS256. */
export class TestIssuer {
  #keys = newKeys();
  #kid = 'k';
  readonly #codes = new Map<string, Code>();
  readonly #server = createServer((request, response) => {
    const reply = this.replies[new URL(request.url ?? '/', this.url).pathname];
    if (reply !== undefined) return reply(response);
    void this.#answer(request).then(({ status, body, location }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) });
      response.end(JSON.stringify(body ?? {}));
    });
  });
  account: IssuedAccount = { sub: 'u1', email: 'jane@example.com', email_verified: true, groups: ['sre'] };
  /** Claims that are wrong in each ID token. */
  spoilt: Readonly<Record<string, unknown>> = {};
  spoiltSignature: SpoiltSignature = {};
  /** Fault of its metadata. */
  spoiltMetadata: Readonly<Record<string, unknown>> = {};
  /** The userinfo endpoint's answer; absent: there is none. */
  userInfo: Readonly<Record<string, unknown>> | undefined;
  /** Answers of its own, by path. */
  replies: Readonly<Record<string, (response: ServerResponse) => void>> = {};
  /** Refresh tokens are refused. */
  isEnded = false;
  refreshes = 0;
  /** Validity of an ID token in seconds. */
  lifetime = MINUTES_5;
  nowMs: () => number = () => Date.now();
  /** All tokens that it gave. */
  readonly issued: string[] = [];
  /** A refresh brings no ID token. */
  refreshesNoToken = false;

  static async start(): Promise<TestIssuer> {
    const issuer = new TestIssuer();
    issuer.#server.listen(0, '127.0.0.1');
    await once(issuer.#server, 'listening');
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Signs with another key from now on, and forgets the one before. */
  rotate(kid: string): void {
    this.#keys = newKeys();
    this.#kid = kid;
  }

  /** The private key of now, to sign with it when it is gone. */
  get privateKey(): KeyObject {
    return this.#keys.privateKey;
  }

  /** Signs with this key whatever the published one is. */
  signingKey: KeyObject | undefined;

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage): Promise<{ status: number; body?: unknown; location?: string }> {
    const url = new URL(request.url ?? '/', this.url);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return { status: 200, body: this.#metadata() };
      case '/keys':
        return {
          status: 200,
          body: { keys: [{ ...this.#keys.publicKey.export({ format: 'jwk' }), kid: this.#kid, alg: 'RS256' }] },
        };
      case '/authorize':
        return this.#authorize(url.searchParams);
      case '/token':
        return this.#token(request, await bodyOf(request));
      case '/userinfo':
        return { status: 200, body: this.userInfo };
      default:
        return { status: 404 };
    }
  }

  #metadata() {
    const { url } = this;
    return {
      ...{ issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token` },
      ...{ jwks_uri: `${url}/keys`, response_types_supported: ['code'], subject_types_supported: ['public'] },
      ...{ id_token_signing_alg_values_supported: ['RS256'], code_challenge_methods_supported: ['S256'] },
      ...(this.userInfo && { userinfo_endpoint: `${url}/userinfo` }),
      ...this.spoiltMetadata,
    };
  }

  #authorize(query: URLSearchParams): { status: number; location?: string } {
    const of = (name: string) => query.get(name) ?? '';
    if (of('client_id') !== CLIENT || of('code_challenge_method') !== 'S256') return { status: 400 };
    const code = randomUUID();
    this.#codes.set(code, { challenge: of('code_challenge'), nonce: of('nonce'), redirectUri: of('redirect_uri') });
    return { status: 302, location: `${of('redirect_uri')}?code=${code}&state=${encodeURIComponent(of('state'))}` };
  }

  #token(request: IncomingMessage, body: URLSearchParams): { status: number; body: unknown } {
    const [, basic = ''] = (request.headers.authorization ?? '').split('Basic ');
    const login = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent).join(':');
    if (login !== `${CLIENT}:${ISSUED_SECRET}`) return { status: 401, body: { error: 'invalid_client' } };
    const refused = { status: 400, body: { error: 'invalid_grant' } };
    if (body.get('grant_type') === 'refresh_token') {
      this.refreshes += 1;
      if (this.isEnded) return refused;
      const { id_token, ...others } = this.#tokens(undefined);
      return { status: 200, body: this.refreshesNoToken ? others : { id_token, ...others } };
    }
    const code = this.#codes.get(body.get('code') ?? '');
    this.#codes.delete(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (code?.challenge !== challenge || code.redirectUri !== body.get('redirect_uri')) return refused;
    return { status: 200, body: this.#tokens(code.nonce) };
  }

  #tokens(nonce: string | undefined) {
    const now = Math.floor(this.nowMs() / 1_000);
    const times = { iat: now, exp: now + this.lifetime };
    const claims = { iss: this.url, aud: CLIENT, ...times, ...(nonce && { nonce }), ...this.account, ...this.spoilt };
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { alg = 'RS256', kid = this.#kid } = this.spoiltSignature;
    const text = `${part({ alg, kid })}.${part(claims)}`;
    const [idToken, refreshToken] = [`${text}.${this.#signatureOf(text)}`, `refresh-${randomUUID()}`];
    const accessToken = randomUUID();
    this.issued.push(idToken, refreshToken, accessToken);
    return {
      ...{ access_token: accessToken, token_type: 'Bearer', expires_in: MINUTES_5 },
      ...{ id_token: idToken, refresh_token: refreshToken },
    };
  }

  #signatureOf(text: string): string {
    const { key } = this.spoiltSignature;
    if (key === 'none') return '';
    if (key === 'public as secret') {
      const secret = this.#keys.publicKey.export({ format: 'pem', type: 'spki' });
      return createHmac('sha256', secret).update(text).digest('base64url');
    }
    const signing = key === 'other' ? newKeys().privateKey : (this.signingKey ?? this.#keys.privateKey);
    return sign('sha256', Buffer.from(text), signing).toString('base64url');
  }
}
