import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export type RequiredLogin = Readonly<{ username: string; password: string }>;

type Asked = Readonly<{
  login: (RequiredLogin & { scheme: 'bearer' | 'basic' }) | undefined;
  host: string;
  url: URL;
  header: string | undefined;
  body: Buffer;
}>;

/**
 * One token for the life of this process: enough to distinguish a client that fetched
 * it from one that did not.
 */
export const TOKEN = randomUUID();

/**
 * True if the body is the form of OAuth2 that exchanges an identity token, here the password, for an access
 * token.
 */
function isExchange(body: Buffer, password: string): boolean {
  const form = new URLSearchParams(body.toString());
  return form.get('grant_type') === 'refresh_token' && form.get('refresh_token') === password;
}

/**
 * True if the request may continue. If not, it has been answered: with a challenge, or, at `/token`, with a
 * token.
 */
export function authorize({ login, host, url, header, body }: Asked, response: ServerResponse): boolean {
  if (login === undefined) return true;
  const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
  if (url.pathname === '/token') {
    if (isExchange(body, login.password)) response.end(JSON.stringify({ access_token: TOKEN, expires_in: 300 }));
    else if (header === basic) response.end(JSON.stringify({ token: TOKEN, expires_in: 300 }));
    else response.writeHead(401).end('{}');
    return false;
  }
  if (header === (login.scheme === 'basic' ? basic : `Bearer ${TOKEN}`)) return true;
  const challenge =
    login.scheme === 'basic'
      ? 'Basic realm="registry"'
      : `Bearer realm="http://${host}/token",service="${host}",scope="registry:catalog:*"`;
  response.writeHead(401, { 'www-authenticate': challenge, 'content-type': 'application/json' });
  response.end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: 'authentication required' }] }));
  return false;
}
