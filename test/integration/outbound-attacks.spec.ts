import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type LookupFunction, type Server as TcpServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import type { OutboundPolicy } from '#platform/outbound/outbound-policy';
import { GrpcCatalogClient } from '#platform/registry/grpc/grpc-catalog-client';
import { serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import type { MirrorRule } from '#platform/registry/mirrors/mirror-sets';
import { type ForwardProxy, startProxy } from '#testing/registry/forward-proxy';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const HUB: OutboundPolicy = { addresses: ['public', 'private'], registryHosts: [], grpcHosts: [] };
const REFUSED = 'is not allowed by the hub (FLOTILLA_OUTBOUND_ADDRESSES)';
const limits = { attempts: 1, retryDelayMs: 1, requestMs: 5_000 };
/**
 * Registry of a tenant, outside; it is reached by a proxy, so that these tests need no address but loopback.
 */
const OUTSIDE = 'attacker.example';
const REFERENCE = `${OUTSIDE}/acme/catalog:v1`;

const listening = async (server: Server | TcpServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
};

/** Resolves host names: names of the inside to loopback. */
const inside: LookupFunction = (hostname, options, callback) => {
  if (!hostname.startsWith('internal')) return callback(new Error(`no such host ${hostname}`), []);
  return options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
};

let internal: Server;
let port: number;
let seen: string[];
beforeEach(async () => {
  seen = [];
  internal = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    response.end('{"token":"INTERNAL-SECRET-TOKEN"}');
  });
  port = await listening(internal);
});
afterEach(async () => {
  internal.closeAllConnections();
  await new Promise((resolve) => internal.close(resolve));
});

const refusal = (error: unknown): string => (error instanceof Error ? error.message : '');

describe('a reference that leads into the network of the hub', () => {
  const client = new HttpRegistryClient({ limits, connections: { policy: HUB, environment: {}, lookup: inside } });
  const asked = (reference: string) => client.resolve(reference).then(() => 'resolved', refusal);

  it('A1: to an internal HTTP server is refused, and nothing is sent there', async () => {
    expect(await asked(`127.0.0.1:${port}/latest/meta-data:x`)).toBe(
      `image 127.0.0.1:${port}/latest/meta-data:x: address of 127.0.0.1:${port} ${REFUSED}`,
    );
    expect(seen).toEqual([]);
  });

  it.each(['169.254.169.254', '[::ffff:127.0.0.1]', '0.0.0.0', 'localhost', 'internal.example'])(
    'A1: %s is refused in the same words',
    async (host) => {
      const open = new HttpRegistryClient({
        limits,
        plainHttpHosts: ['*'],
        connections: { policy: HUB, environment: {}, ...(host === 'internal.example' ? { lookup: inside } : {}) },
      });
      const text = await open.resolve(`${host}:${port}/a/b:x`).then(() => 'resolved', refusal);
      expect(text).toMatch(/address of \S+ is not allowed by the hub \(FLOTILLA_OUTBOUND_ADDRESSES\)$/);
      expect(seen).toEqual([]);
    },
  );

  it('A2: the status does not say whether a port is open', async () => {
    let connections = 0;
    const redis = createTcpServer((socket) => {
      connections += 1;
      socket.end('-ERR unknown command\r\n');
    });
    const open = await listening(redis);
    const atOpen = await asked(`127.0.0.1:${open}/a/b:x`);
    await new Promise((resolve) => redis.close(resolve));
    const atClosed = await asked(`127.0.0.1:${open}/a/b:x`);
    expect(connections).toBe(0);
    expect(atOpen).toContain(REFUSED);
    expect(atOpen).toBe(atClosed);
  });

  it.each(['10.255.255.1', '[fd00::1]', '192.168.0.1'])(
    'P11: the status does not say what is at %s where private addresses, or hosts that are not listed, are refused',
    async (host) => {
      const said = async (policy: OutboundPolicy, at: number) => {
        const strict = new HttpRegistryClient({ limits, connections: { policy, environment: {} } });
        return strict.resolve(`${host}:${at}/a/b:x`).then(() => 'resolved', refusal);
      };
      const ports = [22, port];
      const texts = await Promise.all(ports.map((at) => said({ ...HUB, addresses: ['public'] }, at)));
      expect(texts).toEqual(ports.map((at) => `image ${host}:${at}/a/b:x: address of ${host}:${at} ${REFUSED}`));
      expect(await said({ ...HUB, registryHosts: ['registry.corp'] }, port)).toContain('(FLOTILLA_REGISTRY_HOSTS)');
    },
  );

  it('is reached where the setting allows it', async () => {
    const registry = await startRegistry();
    const policy: OutboundPolicy = { ...HUB, addresses: ['public', 'private', 'loopback'] };
    const allowed = new HttpRegistryClient({ limits, connections: { policy, environment: {} } });
    await expect(allowed.resolve(`${registry.host}/gone:v1`)).rejects.toMatchObject({ failure: 'NotFound' });
    await registry.stop();
  });

  it('names a registry that the setting does not list: refused before anything is sent', async () => {
    const policy: OutboundPolicy = { addresses: ['loopback'], registryHosts: ['quay.io'], grpcHosts: [] };
    const listed = new HttpRegistryClient({ limits, connections: { policy, environment: {} } });
    await expect(listed.resolve(`127.0.0.1:${port}/a:v1`)).rejects.toMatchObject({
      failure: 'NotAllowed',
      message: expect.stringContaining('(FLOTILLA_REGISTRY_HOSTS)'),
    });
    expect(seen).toEqual([]);
  });

  it('A2b: an answer of an allowed host that is no registry is not quoted', async () => {
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<html><title>Secret console of the bank</title>');
    });
    const at = `127.0.0.1:${await listening(page)}`;
    const open = new HttpRegistryClient({ limits, connections: { environment: {} } });
    const text = await open.pull(`${at}/a:v1`, () => ['']).then(() => 'pulled', refusal);
    expect(text).toContain('web page');
    expect(text).not.toMatch(/Secret|html/);
    page.closeAllConnections();
    await new Promise((resolve) => page.close(resolve));
  });
});

describe('A3: a gRPC address that leads into the network of the hub', () => {
  const asked = async (address: string, policy: OutboundPolicy = HUB): Promise<unknown> => {
    const client = new GrpcCatalogClient(address, { callMs: 3_000 }, {}, policy);
    return client.listPackages().finally(() => client.close());
  };

  it.each(['127.0.0.1', 'localhost', '2130706433', '[::1]'])('%s is refused, and not dialled', async (host) => {
    let connections = 0;
    const other = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const at = `${host}:${await listening(other)}`;
    const text = await asked(at).then(() => 'listed', refusal);
    expect(text).toBe(`catalog at ${at}: address of ${at} ${REFUSED}`);
    expect(connections).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });

  it('is reached where the setting allows it, by name and by address', async () => {
    const bytes = Buffer.from(JSON.stringify({ schema: 'olm.package', name: 'ant', defaultChannel: 'stable' }));
    const channel = { schema: 'olm.channel', name: 'stable', package: 'ant', entries: [{ name: 'ant.v1.0.0' }] };
    const bundle = {
      schema: 'olm.bundle',
      name: 'ant.v1.0.0',
      package: 'ant',
      image: 'r.test/ant:1',
      properties: [{ type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } }],
    };
    const all = Buffer.concat([bytes, Buffer.from(`\n${JSON.stringify(channel)}\n${JSON.stringify(bundle)}`)]);
    const server = await serveCatalog(loadCatalog([{ path: 'catalog.json', bytes: all }]), { port: 0 });
    const policy: OutboundPolicy = { ...HUB, addresses: ['loopback'] };
    expect(await asked(`localhost:${server.port}`, policy)).toEqual(['ant']);
    expect(await asked(`127.0.0.1:${server.port}`, policy)).toEqual(['ant']);
    await expect(asked(`127.0.0.1:${server.port}`, { ...policy, grpcHosts: ['other.example'] })).rejects.toMatchObject({
      failure: 'NotAllowed',
      message: expect.stringContaining('(FLOTILLA_GRPC_HOSTS)'),
    });
    await server.stop();
  });
});

describe('a mirror that answers with a way into the network of the hub', () => {
  const SOURCE = 'source.example/acme/catalog:v1';
  const mirrorsAt = (place: string): MirrorRule[] => [
    { source: 'source.example', digestMirrors: [place], tagMirrors: [place], contactsSource: false },
  ];
  let mirror: InMemoryRegistry;
  let proxy: ForwardProxy;
  beforeEach(async () => {
    mirror = await startRegistry();
    proxy = await startProxy({ [OUTSIDE]: Number(mirror.host.split(':')[1]) });
  });
  afterEach(async () => {
    await proxy.stop();
    await mirror.stop();
  });

  const clientOf = (place: string, lookup = inside) =>
    new HttpRegistryClient({
      limits,
      mirrors: mirrorsAt(place),
      plainHttpHosts: ['*'],
      connections: {
        policy: HUB,
        environment: { HTTP_PROXY: proxy.url, NO_PROXY: 'internal.example,127.0.0.1' },
        lookup,
      },
    });
  const asked = (client: HttpRegistryClient) => client.resolve(SOURCE).then(() => 'resolved', refusal);

  it.each(['127.0.0.1', 'internal.example', '169.254.169.254'])('P8: its redirect to %s is refused', async (host) => {
    mirror.failNext({ status: 307, headers: { location: `http://${host}:${port}/v2/x` } });
    const text = await asked(clientOf(`${OUTSIDE}/copy`));
    expect(text).toMatch(/not allowed by the hub \(FLOTILLA_OUTBOUND_ADDRESSES\)|not followed|no registry/);
    expect(seen).toEqual([]);
  });

  it.each(['127.0.0.1', 'internal.example', '169.254.169.254'])('P8: its realm at %s is not asked', async (host) => {
    const header = `Bearer realm="http://${host}:${port}/token",service="x"`;
    mirror.failNext({ status: 401, headers: { 'www-authenticate': header } });
    expect(await asked(clientOf(`${OUTSIDE}/copy`))).toContain(REFUSED);
    expect(seen).toEqual([]);
    expect(mirror.authorizations.join('')).toBe('');
  });

  it('P8: its name that leads inside by now is refused when the connection is made', async () => {
    expect(await asked(clientOf(`internal.example:${port}/copy`))).toContain(REFUSED);
    expect(seen).toEqual([]);
  });
});

describe('a registry that answers with a way into the network of the hub', () => {
  const identityToken = 'REFRESH-TOKEN';
  let attacker: InMemoryRegistry;
  let client: HttpRegistryClient;
  let stop: () => Promise<void>;
  beforeEach(async () => {
    attacker = await startRegistry();
    const proxy = await startProxy({
      [OUTSIDE]: Number(attacker.host.split(':')[1]),
      'elsewhere.example': port,
    });
    const environment = { HTTP_PROXY: proxy.url, NO_PROXY: 'internal.example' };
    client = new HttpRegistryClient({
      limits,
      plainHttpHosts: [OUTSIDE, `internal.example:${port}`],
      connections: { policy: HUB, environment, lookup: inside },
    });
    stop = async () => {
      await proxy.stop();
      await attacker.stop();
    };
  });
  afterEach(() => stop());

  it.each(['127.0.0.1', 'internal.example', '169.254.169.254'])(
    'A4: a token realm at %s is not asked, and no token reaches the registry',
    async (host) => {
      const header = `Bearer realm="http://${host}:${port}/internal/admin/token",service="x"`;
      attacker.failNext({ status: 401, headers: { 'www-authenticate': header } });
      await expect(client.resolve(REFERENCE)).rejects.toMatchObject({
        failure: 'NotAllowed',
        message: expect.stringContaining(REFUSED),
      });
      expect(seen).toEqual([]);
      expect(attacker.authorizations.join('')).toBe('');
    },
  );

  it.each([
    { id: 'A5', host: '127.0.0.1', failure: 'NotARegistry' },
    { id: 'A5b', host: 'internal.example', failure: 'NotAllowed' },
  ])('$id: a redirect to $host is not followed', async ({ host, failure }) => {
    attacker.failNext({ status: 307, headers: { location: `http://${host}:${port}/v2/x` } });
    await expect(client.resolve(REFERENCE)).rejects.toMatchObject({ failure });
    expect(seen).toEqual([]);
  });

  it('A7: an identity token does not follow a redirect of the token server to another host', async () => {
    const bodies: string[] = [];
    const tokens = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      response.writeHead(307, { location: 'http://elsewhere.example/steal' }).end();
    });
    const realm = `http://127.0.0.1:${await listening(tokens)}/token`;
    attacker.failNext({ status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}"` } });
    const policy: OutboundPolicy = { ...HUB, addresses: ['public', 'private', 'loopback'] };
    const proxy = await startProxy({ [OUTSIDE]: Number(attacker.host.split(':')[1]), 'elsewhere.example': port });
    const open = new HttpRegistryClient({
      limits,
      plainHttpHosts: [OUTSIDE, 'elsewhere.example'],
      connections: { policy, environment: { HTTP_PROXY: proxy.url } },
    });
    const credentials = { [OUTSIDE]: { identityToken } };
    await expect(open.resolve(REFERENCE, { credentials })).rejects.toMatchObject({
      failure: 'NotARegistry',
      message: expect.stringContaining('this is not followed'),
    });
    expect(bodies.join('')).toContain(identityToken);
    expect(seen).toEqual([]);
    tokens.closeAllConnections();
    await new Promise((resolve) => tokens.close(resolve));
    await proxy.stop();
  });
});
