import { createRequire } from 'node:module';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { GrpcCatalogClient } from '#platform/registry/grpc/grpc-catalog-client';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { PATIENCE } from '#testing/patience';
import { startProxy } from '#testing/registry/forward-proxy';

const blobs = [
  { schema: 'olm.package', name: 'ant', defaultChannel: 'stable' },
  { schema: 'olm.channel', name: 'stable', package: 'ant', entries: [{ name: 'ant.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    name: 'ant.v1.0.0',
    package: 'ant',
    image: 'r.test/ant:1',
    properties: [{ type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } }],
  },
];
const bytes = Buffer.from(blobs.map((blob) => JSON.stringify(blob)).join('\n'));

let server: CatalogServer;
beforeEach(async () => {
  server = await serveCatalog(loadCatalog([{ path: 'catalog.json', bytes }]), { port: 0 });
});
afterEach(() => server.stop());

const packagesAt = async (address: string, environment: Record<string, string>, callMs = 60_000) => {
  const client = new GrpcCatalogClient(address, { callMs }, environment);
  try {
    return await client.listPackages();
  } finally {
    client.close();
  }
};

describe('a registry server behind a proxy', () => {
  it.each(['GRPC_PROXY', 'grpc_proxy'])('is reached through %s, by a name that the proxy alone knows', async (name) => {
    const proxy = await startProxy({ 'catalog.example:50051': server.port });
    expect(await packagesAt('catalog.example:50051', { [name]: proxy.url })).toEqual(['ant']);
    expect(proxy.log).toEqual(['CONNECT catalog.example:50051']);
    await proxy.stop();
  });

  it.each([
    {
      because: 'the proxy of the web is not for it',
      environment: (url: string) => ({ HTTPS_PROXY: url, https_proxy: url }),
    },
    {
      because: 'NO_PROXY names it',
      environment: (url: string) => ({ GRPC_PROXY: url, NO_PROXY: 'localhost.example,.example' }),
    },
  ])('is reached directly: $because', async ({ environment }) => {
    const proxy = await startProxy({});
    await expect(packagesAt('catalog.example:50051', environment(proxy.url), 3_000)).rejects.toMatchObject({
      failure: 'Unreachable',
    });
    expect(proxy.log).toEqual([]);
    await proxy.stop();
  });
});

describe('a connection that goes silent', () => {
  /** Passes bytes on until the test drops them, as a firewall does that has forgotten a connection. */
  class Line {
    readonly #sockets: Socket[] = [];
    readonly #server: Server = createServer((near) => {
      const far = connect(server.port, '127.0.0.1');
      this.#sockets.push(near, far);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) socket.on('error', () => undefined);
    });
    async listen(): Promise<number> {
      await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
      const address = this.#server.address();
      return address !== null && typeof address === 'object' ? address.port : 0;
    }
    swallow(): void {
      for (const socket of this.#sockets) socket.unpipe().resume();
    }
    stop(): void {
      for (const socket of this.#sockets) socket.destroy();
      this.#server.close();
    }
  }

  it('is found out during the next call and replaced by a new one', async () => {
    const line = new Line();
    const address = `127.0.0.1:${await line.listen()}`;
    const client = new GrpcCatalogClient(address, { callMs: 60_000, silenceMs: 1_000 });
    expect(await client.listPackages()).toEqual(['ant']);
    line.swallow();
    await expect(client.listPackages()).rejects.toMatchObject({ failure: 'Unreachable', retry: 'backoff' });
    await expect.poll(() => client.listPackages().catch(() => 'not yet'), PATIENCE).toEqual(['ant']);
    client.close();
    line.stop();
  });
});

describe('server reflection', () => {
  const Listed = z.object({ list_services_response: z.object({ service: z.array(z.object({ name: z.string() })) }) });
  const Described = z.object({
    file_descriptor_response: z.object({ file_descriptor_proto: z.array(z.instanceof(Uint8Array)) }),
  });

  /** Asks as grpcurl does, with the protocol of reflection alone. */
  const asked = async (version: 'v1' | 'v1alpha', question: Record<string, string>): Promise<unknown> => {
    const folder = dirname(createRequire(import.meta.url).resolve('@grpc/reflection/package.json'));
    const file = join(folder, `build/proto/grpc/reflection/${version}/reflection.proto`);
    const service = loadSync(file, { keepCase: true })[`grpc.reflection.${version}.ServerReflection`];
    const method = service && !('format' in service) ? service['ServerReflectionInfo'] : undefined;
    if (method === undefined) throw new Error('no reflection protocol');
    const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
    const call = client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize);
    call.write(question);
    call.end();
    const answers: unknown[] = await call.toArray();
    client.close();
    return answers[0];
  };

  it.each(['v1', 'v1alpha'] as const)('names the services and describes them (%s)', async (version) => {
    const listed = Listed.parse(await asked(version, { list_services: '' }));
    const names = listed.list_services_response.service.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['api.Registry', 'api.ExperimentalRegistry', 'grpc.health.v1.Health']),
    );
    const described = Described.parse(await asked(version, { file_containing_symbol: 'api.Registry' }));
    const text = Buffer.concat(described.file_descriptor_response.file_descriptor_proto).toString('latin1');
    for (const name of ['ListBundles', 'GetPackage', 'csvJson']) expect(text).toContain(name);
  });
});
