import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issueServingCertificate } from '../keys/issue-serving-certificate.js';
import { PeerRequests } from './peer-requests.js';
import { PeerUnreachable } from './peer-unreachable.error.js';

describe('a request to a peer with HTTPS', () => {
  let server: Server;
  let url: string;
  let named: string[] = [];

  beforeAll(async () => {
    const { certPem: cert, keyPem: key } = await issueServingCertificate(['poller.example'], new Date());
    const SNICallback = (name: string, done: (error: Error | null) => void) => {
      named.push(name);
      done(null);
    };
    server = createServer({ cert, key, SNICallback }, (_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    { host: 'poller.example', sent: ['poller.example'], because: 'the name that its certificate is made for' },
    { host: '127.0.0.1', sent: [], because: 'no name where the certificate is made for an address' },
    { host: undefined, sent: [], because: 'no name where none is set' },
  ])('names the peer by $because', async ({ host, sent }) => {
    named = [];
    const request = { method: 'GET', target: '/', headers: {}, authorization: '' };
    await expect(new PeerRequests(host).send(url, request), 'its authority is not known').rejects.toThrow(
      PeerUnreachable,
    );
    expect(named).toEqual(sent);
  });
});
