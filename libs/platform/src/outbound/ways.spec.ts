import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ForwardProxy, startProxy } from '#testing/registry/forward-proxy';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { startSocksProxy } from '#testing/registry/socks-proxy';
import { ManualClock } from '../clock/manual-clock.js';
import { IssuerConnections } from '../console/issuer-connections.js';
import { HttpGates } from '../fleet/http-gates.js';
import { loadClusters } from '../kube/access/load-clusters.js';
import { GrpcCatalogClient } from '../registry/grpc/grpc-catalog-client.js';
import { HttpRegistryClient } from '../registry/http-registry-client.js';
import { OtlpTracer } from '../telemetry/tracing/otlp-tracer.js';
import type { OutboundPolicy } from './outbound-policy.js';

const POLICY: OutboundPolicy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] };
const GATEWAY = 'http://127.0.0.1:1';

const endings: (() => Promise<unknown>)[] = [];
let proxy: ForwardProxy;
let server: Server;
let port = 0;
let seen: string[] = [];
beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json').end('{"gitVersion":"v1.34.4"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  proxy = await startProxy({ 'collector.example:4318': port, 'api.example:6443': port });
  endings.push(
    () => proxy.stop(),
    () => new Promise((resolve) => server.close(resolve)),
  );
});
afterEach(async () => {
  server.closeAllConnections();
  for (const end of endings.splice(0).toReversed()) await end();
});

const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'it was answered',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

async function apiServer(url: string, environment: Record<string, string>, cluster: object = {}) {
  const access = { context: 'prod', file: 'config', cluster: { server: url, ...cluster }, user: { token: 'abc' } };
  const transport = { requestTimeoutMs: 2_000 };
  const [client] = await loadClusters({ access: [access], fieldManager: 'test', environment, transport });
  if (client === undefined) throw new Error('no client');
  endings.push(() => client.close());
  return client.serverVersion();
}

describe('an API server', () => {
  it('is asked directly if a range of NO_PROXY has its address', async () => {
    const environment = { HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost,10.0.0.0/8,.svc' };
    const text = await refusal(apiServer('https://10.255.255.254:1', environment));
    expect(text).toContain('(directly: NO_PROXY has 10.0.0.0/8)');
    expect(proxy.log).toEqual([]);
  });

  it.each([
    { named: 'http_proxy', environment: () => ({ HTTP_PROXY: '', http_proxy: proxy.url }), cluster: () => ({}) },
    {
      named: 'proxy-url, whatever NO_PROXY says',
      environment: () => ({ NO_PROXY: '*' }),
      cluster: () => ({ 'proxy-url': proxy.url }),
    },
  ])('is asked through the proxy of $named', async ({ environment, cluster }) => {
    await expect(apiServer('http://api.example:6443', environment(), cluster())).resolves.toBe('v1.34.4');
    expect(proxy.log).toEqual(['CONNECT api.example:6443']);
  });

  it.each([
    {
      environment: { HTTPS_PROXY: GATEWAY, NO_PROXY: '10.0.0.0/8' },
      says: /\(through the proxy 127\.0\.0\.1:1: HTTPS_PROXY is set, and NO_PROXY does not have api\.invalid\)/,
    },
    {
      environment: { HTTPS_PROXY: GATEWAY, NO_PROXY: '.invalid' },
      says: /ENOTFOUND|EAI_AGAIN.* \(directly: NO_PROXY has \.invalid\)/,
    },
    { environment: {}, says: /\(directly: HTTPS_PROXY is not set\)/ },
  ])('that cannot be reached is named with the way and its reason: $says', async ({ environment, says }) => {
    expect(await refusal(apiServer('https://api.invalid:6443', environment))).toMatch(says);
  });
});

describe('a registry', () => {
  const lookup: LookupFunction = (hostname, options, callback) => {
    if (!hostname.startsWith('internal')) return callback(new Error(`no such host ${hostname}`), []);
    return options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
  };
  const limits = { attempts: 1, retryDelayMs: 1, requestMs: 5_000 };
  const client = (environment: Record<string, string>, policy: OutboundPolicy = POLICY) =>
    new HttpRegistryClient({ limits, plainHttpHosts: ['*'], connections: { policy, environment, lookup } });

  it('is asked through SOCKS5, which resolves its name', async () => {
    const registry = await startRegistry();
    const socks = await startSocksProxy({
      ports: { 'registry.example:80': Number(registry.host.split(':')[1]) },
      login: 'me:p@ss',
    });
    endings.push(
      () => registry.stop(),
      () => socks.stop(),
    );
    const environment = { HTTP_PROXY: socks.url.replace('//', '//me:p%40ss@') };
    expect(await refusal(client(environment).resolve('registry.example/acme/catalog:v1'))).toContain('answered 404');
    expect(socks.log).toEqual(['registry.example:80']);
  });

  it.each(['internal.example', '127.0.0.9', '[::ffff:169.254.169.254]'])(
    'is not asked at %s through a proxy, if the hub allows none of its addresses',
    async (host) => {
      const text = await refusal(client({ HTTP_PROXY: proxy.url }).resolve(`${host}:5000/acme/catalog:v1`));
      expect(text).toContain('is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)');
      expect(proxy.log).toEqual([]);
    },
  );

  it('that cannot be reached is named with the way and its reason', async () => {
    const environment = { HTTP_PROXY: GATEWAY, NO_PROXY: 'other.example' };
    expect(await refusal(client(environment).resolve('registry.example/acme/catalog:v1'))).toMatch(
      /\(.*; through the proxy 127\.0\.0\.1:1: HTTP_PROXY is set, and NO_PROXY does not have registry\.example\)/,
    );
  });
});

describe('a server of gRPC', () => {
  it('is not asked through a proxy that gRPC cannot use', () => {
    expect(() => new GrpcCatalogClient('catalog.example:50051', {}, { GRPC_PROXY: 'socks5://p.example' })).toThrow(
      /catalog at catalog\.example:50051: GRPC_PROXY has a proxy of socks5, and gRPC goes through http:\/\/ alone/,
    );
  });

  it('that cannot be reached is named with the way and its reason', async () => {
    const environment = { GRPC_PROXY: GATEWAY };
    const client = new GrpcCatalogClient('catalog.example:50051', { callMs: 3_000 }, environment, POLICY);
    endings.push(async () => client.close());
    expect(await refusal(client.listPackages())).toContain('; through the proxy 127.0.0.1:1: GRPC_PROXY is set');
  });
});

describe('an issuer of accounts', () => {
  it.each([
    { environment: () => ({ HTTPS_PROXY: proxy.url }), asked: ['CONNECT login.example:443'] },
    { environment: () => ({ HTTPS_PROXY: proxy.url, NO_PROXY: '.example' }), asked: [] },
  ])('is asked by the rules of all: $asked', async ({ environment, asked }) => {
    const addresses = ['public', 'private', 'loopback'] as const;
    const lookup: LookupFunction = (name, _options, callback) => callback(new Error(`no such host ${name}`), []);
    const connections = new IssuerConnections({
      issuer: 'https://login.example',
      ...{ addresses, lookup },
      environment: environment(),
    });
    expect(await refusal(connections.fetch('https://login.example/keys', {}))).toMatch(/\((?:through|directly)/);
    expect(proxy.log).toEqual(asked);
  });
});

describe('a collector of traces', () => {
  it('gets spans through the proxy', async () => {
    const clock = new ManualClock();
    const tracer = new OtlpTracer({
      endpoint: 'http://collector.example:4318',
      clock,
      log: { info: () => undefined, warn: () => undefined },
      onSpans: () => undefined,
      environment: { HTTP_PROXY: proxy.url },
    });
    tracer.ended({ name: 'observe', change: '1'.repeat(32), startMs: 1, endMs: 2, attributes: {} });
    await tracer.stop();
    expect(proxy.log).toEqual(['POST http://collector.example:4318/v1/traces']);
    expect(seen).toEqual(['POST /v1/traces']);
  });
});

describe('a check of a rollout', () => {
  it('that cannot be reached is named with the way and its reason', async () => {
    const gates = new HttpGates({ hosts: ['gate.invalid'], policy: POLICY });
    const gate = { name: 'g', webhook: { url: 'https://gate.invalid/' } };
    const question = { rollout: 'r', wave: 'w', cluster: null, bundle: 'b', gate } as never;
    const { message } = (await gates.ask(question)) as { message: string };
    expect(message).toMatch(/cannot reach gate\.invalid \(.*; (?:directly|through the proxy \S+): HTTPS_PROXY is/);
  });
});
