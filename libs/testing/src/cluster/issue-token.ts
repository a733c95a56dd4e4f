import { request } from 'node:https';

/** Asks an API server, as the user of `token`, for a token of a service account (TokenRequest). */
export function issueToken(
  server: Readonly<{ url: string; token: string }>,
  namespace: string,
  name: string,
): Promise<string> {
  const url = `${server.url.replace(/\/$/, '')}/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const headers = { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  return new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', headers, rejectUnauthorized: false, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString()) as { status?: { token?: string } };
        if (answer.status?.token === undefined) reject(new Error(`no token: ${JSON.stringify(answer)}`));
        else resolve(answer.status.token);
      });
    });
    asking.on('error', reject).end(JSON.stringify(body));
  });
}
