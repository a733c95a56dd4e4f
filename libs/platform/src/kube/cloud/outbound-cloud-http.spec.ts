import { createServer, type Server } from 'node:https';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { type ForwardProxy, startProxy } from '#testing/registry/forward-proxy';
import type { CloudQuestion } from './cloud-http.port.js';
import { OutboundCloudHttp } from './outbound-cloud-http.js';

const HOST = 'sts.eu-central-1.amazonaws.com';
const STS: CloudQuestion = { url: `https://${HOST}/`, service: 'AWS STS', at: 'internet', body: 'Action=x' };
const AGENT: CloudQuestion = { url: 'http://169.254.170.23/v1/credentials', service: 'the agent', at: 'node' };
/** A name that leads to this machine, which is no place for a service of a cloud. */
const here: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);

let server: Server;
let proxy: ForwardProxy;
let authorities = '';
let answer = { status: 200, headers: {}, body: 'yes' };
let seen: string[] = [];
beforeEach(async () => {
  const { caPem, certPem, keyPem } = await servingCertificate([HOST]);
  authorities = caPem;
  answer = { status: 200, headers: {}, body: 'yes' };
  seen = [];
  server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy = await startProxy({ [`${HOST}:443`]: (server.address() as AddressInfo).port });
});
afterEach(async () => {
  await proxy.stop();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (question: CloudQuestion, environment: Record<string, string>, signal = new AbortController().signal) =>
  new OutboundCloudHttp({ environment, authorities, lookup: here }).ask(question, signal);
const said = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'it was answered',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
/** A name of no address here is the proxy's to resolve. */
const throughProxy = (question: CloudQuestion) =>
  new OutboundCloudHttp({
    environment: { HTTPS_PROXY: proxy.url },
    authorities,
    lookup: (_name, _options, callback) => callback(new Error('no such name'), []),
  }).ask(question, new AbortController().signal);

describe('a service', () => {
  it('is asked through the proxy of the environment', async () => {
    await expect(throughProxy(STS)).resolves.toMatchObject({ status: 200, text: 'yes' });
    expect(proxy.log).toEqual([`CONNECT ${HOST}:443`]);
    expect(seen).toEqual(['POST /']);
  });

  it('is not followed to another address', async () => {
    answer = { status: 307, headers: { location: 'https://elsewhere.example/' }, body: '' };
    await expect(throughProxy(STS)).resolves.toMatchObject({ status: 307 });
    expect(seen).toEqual(['POST /']);
  });

  it('answers no more than a bounded text', async () => {
    answer = { ...answer, body: 'x'.repeat(300_000) };
    expect(await said(throughProxy(STS))).toBe('AWS STS answered more than 262144 bytes');
  });

  it.each([{ HTTPS_PROXY: 'http://127.0.0.1:1' }, {}])(
    'is not asked at a loopback address: %j',
    async (environment) => {
      expect(await said(ask(STS, environment))).toContain(`address of ${HOST} is not allowed`);
      expect(seen).toEqual([]);
    },
  );

  it.each(['https://169.254.169.254/', 'https://127.0.0.1/', 'https://[::1]/'])('is not asked at %s', async (url) => {
    expect(await said(ask({ ...STS, url }, {}))).toContain('is not allowed by the hub');
  });

  it.each(['http://login.example/', 'no address'])('is not asked without TLS: %s', async (url) => {
    expect(await said(ask({ ...STS, url }, {}))).toBe('the address of AWS STS is not a URL');
  });

  it('is named with the way to it if it cannot be reached', async () => {
    const text = await said(throughProxy({ ...STS, url: 'https://sts.us-east-1.amazonaws.com/' }));
    expect(text).toMatch(/^AWS STS \(sts\.us-east-1\.amazonaws\.com\) cannot be reached: .*through the proxy/);
  });
});

describe('the node', () => {
  it.each([
    'http://169.254.169.253/',
    'http://169.254.170.2/',
    'http://127.0.0.1/',
    'http://metadata.google.internal/',
  ])('is not asked at %s', async (url) => {
    expect(await said(ask({ ...AGENT, url }, {}))).toContain('is not allowed by the hub');
  });
});
