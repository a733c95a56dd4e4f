import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

export type Login = Readonly<{ username: string; password: string }>;

type Asked = Readonly<{
  login: (Login & { scheme: 'bearer' | 'basic' }) | undefined;
  host: string;
  url: URL;
  header: string | undefined;
}>;

/** One token for the life of this process: enough to tell a client that fetched it from one that did not. */
const TOKEN = randomUUID();

/** Whether the request may go on; if not, it has been answered: with a challenge, or, at `/token`, with a token. */
export function authorize({ login, host, url, header }: Asked, response: ServerResponse): boolean {
  if (login === undefined) return true;
  const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;
  if (url.pathname === '/token') {
    if (header === basic) response.end(JSON.stringify({ token: TOKEN, expires_in: 300 }));
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
