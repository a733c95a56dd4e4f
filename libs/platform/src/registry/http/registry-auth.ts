import { z } from 'zod';
import type { Refuse } from '../client/image-manifest.js';
import type { Login, PasswordLogin } from '../client/registry-client.port.js';
import type { RegistryRequest } from './registry-request.js';

/** The authentication that a registry requires with 401. */
type Challenge = Readonly<
  { scheme: 'basic' } | { scheme: 'bearer'; realm: string; service?: string; scope?: string } | { scheme: 'unknown' }
>;

export const basic = ({ username, password }: PasswordLogin) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Reads `WWW-Authenticate`; a Bearer challenge is preferred if both are offered. */
export function parseChallenge(header: string): Challenge {
  const bearer = /(?:^|,)\s*bearer\s+(.*)$/i.exec(header.slice(0, 4096))?.[1];
  if (bearer !== undefined) {
    const parameters = new Map<string, string>();
    for (const match of bearer.matchAll(/([A-Za-z_]+)\s*=\s*"([^"]*)"/g)) {
      parameters.set((match[1] ?? '').toLowerCase(), match[2] ?? '');
    }
    const realm = parameters.get('realm');
    const service = parameters.get('service');
    const scope = parameters.get('scope');
    if (realm === undefined) return { scheme: 'unknown' };
    return { scheme: 'bearer', realm, ...(service ? { service } : {}), ...(scope ? { scope } : {}) };
  }
  return /(?:^|,)\s*basic\b/i.test(header) ? { scheme: 'basic' } : { scheme: 'unknown' };
}

/** Most characters of a token: twice the size that servers take as a header. A thousand of them are kept. */
const MAX_TOKEN = 32 * 1024;

const Token = z.looseObject({
  token: z.string().optional(),
  access_token: z.string().optional(),
  expires_in: z.number().optional(),
});

type FetchedToken = Readonly<{ value: string; seconds: number }>;
type Bearer = Extract<Challenge, { scheme: 'bearer' }>;
export type TokenQuery = Readonly<{
  challenge: Bearer;
  scope: string;
  login: Login | undefined;
  /** The URL for which the registry required the token. */
  asked: URL;
}>;

type TokenRequest = RegistryRequest & Readonly<{ url: URL; authorization?: string }>;

/** The request for a token: GET with basic authentication, or the OAuth2 form for an identity token. */
export function tokenRequest({ challenge, scope, login, asked }: TokenQuery, refuse: Refuse): TokenRequest {
  const url = realmUrl(challenge.realm, { withLogin: login !== undefined, asked }, refuse);
  if (login !== undefined && 'identityToken' in login) {
    const form = { grant_type: 'refresh_token', refresh_token: login.identityToken, client_id: 'flotilla', scope };
    const body = new URLSearchParams({ ...form, ...(challenge.service ? { service: challenge.service } : {}) });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { url, method: 'POST', headers, body: body.toString(), isSecret: true };
  }
  if (challenge.service !== undefined) url.searchParams.set('service', challenge.service);
  url.searchParams.set('scope', scope);
  return { url, ...(login !== undefined && 'password' in login ? { authorization: basic(login) } : {}) };
}

type Asking = Readonly<{ withLogin: boolean; asked: URL }>;

/**
 * Returns the URL of the token server. It may be any host, as for a kubelet; without TLS only if the registry
 * itself has none.
 */
function realmUrl(realm: string, { withLogin, asked }: Asking, refuse: Refuse): URL {
  if (!URL.canParse(realm))
    throw refuse('NotARegistry', `the registry names a token server that is not a URL: "${realm}"`);
  const url = new URL(realm);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse('NotARegistry', `the registry names a token server that is not HTTP: "${realm}"`);
  }
  if (url.protocol === 'http:' && asked.protocol === 'https:') {
    throw refuse('NotARegistry', `the registry ${asked.host} names a token server that is not HTTPS: ${url.host}`);
  }
  if (withLogin && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse('Unauthorized', `the token server ${url.host} is not HTTPS: credentials are not sent there`);
  }
  return url;
}

export function tokenOf(body: unknown, refuse: Refuse): FetchedToken {
  const answer = Token.safeParse(body).data;
  const value = answer?.token ?? answer?.access_token;
  if (!value) throw refuse('NotARegistry', 'the token server answered without a token');
  const { length } = value;
  if (length > MAX_TOKEN) {
    throw refuse('NotARegistry', `the token server gave a token of ${length} characters; the limit is ${MAX_TOKEN}`);
  }
  return { value, seconds: answer?.expires_in ?? 60 };
}

/** True if a host name means this machine: such registries are used over plain HTTP. */
export const isLoopback = (hostname: string) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
