import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '#platform/config/settings';
import type { RegistryError } from '#platform/registry/client/registry-client.port';
import { configuredRegistryClient } from '#platform/registry/configured-registry-client';
import type { CertificateLocations } from '#platform/registry/http/registry-certificates';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import { type LoopbackCertificate, servingCertificate } from '#testing/cluster/server/certificates';
import { type ClientCertificate, clientCertificate } from '#testing/control-plane/client-certificate';
import { type ForwardProxy, startProxy } from '#testing/registry/forward-proxy';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const HOST = 'registry.example';
const REFERENCE = `${HOST}/acme/catalog:v1`;
const limits = { attempts: 1, retryDelayMs: 1, requestMs: 5_000 };
const portOf = (registry: InMemoryRegistry) => Number(registry.host.split(':')[1]);

let image: BuiltImage;
let certificate: LoopbackCertificate;
let person: ClientCertificate;
let directory: string;
beforeAll(async () => {
  image = await buildImage({ files: [{ path: 'a', bytes: Buffer.from('1') }], labels: {} });
  certificate = await servingCertificate([HOST]);
  person = await clientCertificate('hub');
  directory = await mkdtemp(join(tmpdir(), 'flotilla-certificates-'));
  await writeFile(join(directory, 'ca.pem'), certificate.caPem);
  await mkdir(join(directory, 'broken'));
  await writeFile(join(directory, 'broken', 'ca.crt'), 'no certificate');
  await mkdir(join(directory, 'certs.d', HOST), { recursive: true });
  await writeFile(join(directory, 'certs.d', HOST, 'ca.crt'), certificate.caPem);
  await mkdir(join(directory, 'with-client', HOST), { recursive: true });
  await writeFile(join(directory, 'with-client', HOST, 'ca.crt'), certificate.caPem);
  await writeFile(join(directory, 'with-client', HOST, 'hub.cert'), person.certPem);
  await writeFile(join(directory, 'with-client', HOST, 'hub.key'), person.keyPem);
});
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));

describe('a registry with a certificate of an authority of its own, behind a proxy', () => {
  let registry: InMemoryRegistry;
  let proxy: ForwardProxy;
  const start = async (clientCa?: string) => {
    const { certPem: cert, keyPem: key } = certificate;
    registry = await startRegistry({ tls: { cert, key, ...(clientCa === undefined ? {} : { clientCa }) } });
    registry.put('acme/catalog:v1', image);
    proxy = await startProxy({ [`${HOST}:443`]: portOf(registry) });
  };
  afterEach(async () => {
    await proxy.stop();
    await registry.stop();
  });
  const resolved = (certificates: CertificateLocations) => {
    const connections = { certificates, environment: { HTTPS_PROXY: proxy.url } };
    return new HttpRegistryClient({ limits, connections }).resolve(REFERENCE);
  };

  it.each([
    {
      because: 'the authority in a file for all registries',
      certificates: () => ({ authorities: join(directory, 'ca.pem') }),
    },
    {
      because: 'the authority in a folder for all registries',
      certificates: () => ({ authorities: join(directory, 'certs.d', HOST) }),
    },
    {
      because: 'the authority in the folder of this registry',
      certificates: () => ({ directories: join(directory, 'certs.d') }),
    },
  ])('is trusted: $because', async ({ certificates }) => {
    await start();
    expect(await resolved(certificates())).toBe(image.manifest.digest);
    expect(proxy.log).toEqual([`CONNECT ${HOST}:443`]);
  });

  it('is not trusted without it, and the message says what to do', async () => {
    await start();
    await expect(resolved({})).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringMatching(/certificate is signed by .*FLOTILLA_REGISTRY_CA/),
    });
  });

  it.each([
    { because: 'no such file', certificates: () => ({ authorities: join(directory, 'gone.pem') }), says: 'gone.pem' },
    {
      because: 'a file that holds none',
      certificates: () => ({ authorities: join(directory, 'broken') }),
      says: 'ca.crt cannot be used: it holds no certificate in PEM form',
    },
  ])('a certificate file that cannot be used is named: $because', async ({ certificates, says }) => {
    await start();
    await expect(resolved(certificates())).rejects.toMatchObject({
      code: 'InvalidCertificate',
      message: expect.stringContaining(says),
    });
  });

  it('that asks for a certificate gets that of the folder', async () => {
    await start(person.caPem);
    expect(await resolved({ directories: join(directory, 'with-client') })).toBe(image.manifest.digest);
    await expect(resolved({ directories: join(directory, 'certs.d') })).rejects.toMatchObject({
      failure: 'Unreachable',
    });
  });

  it('is reached directly where NO_PROXY says so', async () => {
    await start();
    const environment = { HTTPS_PROXY: proxy.url, NO_PROXY: '.example' };
    const client = new HttpRegistryClient({ limits, connections: { environment } });
    await expect(client.resolve(REFERENCE)).rejects.toMatchObject({ failure: 'Unreachable' });
    expect(proxy.log).toEqual([]);
  });
});

describe('a registry in plain HTTP', () => {
  it('that is not named is refused with the setting that names it, in one line', async () => {
    const registry = await startRegistry();
    const proxy = await startProxy({ [`${HOST}:5000`]: portOf(registry) });
    const connections = { environment: { HTTPS_PROXY: proxy.url } };
    const client = new HttpRegistryClient({ limits, connections });
    await expect(client.resolve(`${HOST}:5000/acme/catalog:v1`)).rejects.toMatchObject({
      failure: 'Unreachable',
      message: expect.stringMatching(
        /cannot reach registry \S+:5000 \(it does not speak TLS; through the proxy [^)]*\): name it in FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS [^\n]*$/,
      ),
    });
    await proxy.stop();
    await registry.stop();
  });

  it('is spoken to when it is named, through the proxy for plain HTTP', async () => {
    const registry = await startRegistry();
    registry.put('acme/catalog:v1', image);
    const proxy = await startProxy({ [`${HOST}:5000`]: portOf(registry) });
    const connections = { environment: { HTTP_PROXY: proxy.url } };
    const client = new HttpRegistryClient({ limits, plainHttpHosts: [`${HOST}:5000`], connections });
    expect(await client.resolve(`${HOST}:5000/acme/catalog:v1`)).toBe(image.manifest.digest);
    expect(proxy.log).toEqual([`HEAD http://${HOST}:5000/v2/acme/catalog/manifests/v1`]);
    await proxy.stop();
    await registry.stop();
  });
});

describe('mirrors', () => {
  const source = 'source.example/acme';
  let first: InMemoryRegistry;
  let second: InMemoryRegistry;
  let file: string;
  const login = { username: 'me', password: 'for-the-first' };
  beforeEach(async () => {
    [first, second] = [await startRegistry(), await startRegistry()];
    file = join(directory, 'mirrors.yaml');
  });
  afterEach(async () => {
    await first.stop();
    await second.stop();
  });
  /** A client as the services make it, with a file of one set. */
  const clientWith = async (kind: 'Digest' | 'Tag', policy = 'NeverContactSource') => {
    const entry = { source, mirrors: [`${first.host}/one`, `${second.host}/two/deep`], mirrorSourcePolicy: policy };
    await writeFile(
      file,
      JSON.stringify({ kind: `Image${kind}MirrorSet`, spec: { [`image${kind}Mirrors`]: [entry] } }),
    );
    const environment = { FLOTILLA_REGISTRY_MIRRORS_FILE: file, FLOTILLA_REGISTRY_ATTEMPTS: '1' };
    return configuredRegistryClient(readSettings(environment));
  };
  const byDigest = () => `${source}/catalog@${image.manifest.digest}`;
  const pulled = async (client: HttpRegistryClient, reference: string, credentials = {}) =>
    (await client.pull(reference, () => [''], { credentials })).digest;

  it('the first one that has the image gives it', async () => {
    first.put('one/catalog:v1', image);
    expect(await pulled(await clientWith('Digest'), byDigest())).toBe(image.manifest.digest);
    expect(second.requests.total).toBe(0);
  });

  it.each([
    { because: 'lacks the image', prepare: () => undefined },
    { because: 'asks for a login that nobody has', prepare: () => first.requireAuth(login) },
    { because: 'has lost a layer', prepare: () => lossy() },
    { because: 'sends other content', prepare: () => corrupted() },
    { because: 'is away', prepare: () => first.stop() },
  ])('the next one is asked when the first $because', async ({ prepare }) => {
    await prepare();
    second.put('two/deep/catalog:v1', image);
    expect(await pulled(await clientWith('Digest'), byDigest())).toBe(image.manifest.digest);
  });
  const lossy = () => {
    first.put('one/catalog:v1', image);
    first.failNext({ path: /blobs/, status: 404, times: 10 });
  };
  const corrupted = () => {
    first.put('one/catalog:v1', image);
    first.corrupt(image.layers[0]?.digest ?? '');
  };

  it('each gets the login that is meant for it', async () => {
    first.put('one/catalog:v1', image);
    first.requireAuth(login);
    const credentials = { [first.host]: login, 'source.example': { username: 'other', password: 'other' } };
    expect(await pulled(await clientWith('Digest'), byDigest(), credentials)).toBe(image.manifest.digest);
  });

  it('for tags are asked for tags', async () => {
    second.put('two/deep/catalog:v1', image);
    expect(await (await clientWith('Tag')).resolve(`${source}/catalog:v1`)).toBe(image.manifest.digest);
  });

  it('for digests are not asked for tags: with the source shut out nothing is left, and the message says so', async () => {
    first.put('one/catalog:v1', image);
    await expect((await clientWith('Digest')).resolve(`${source}/catalog:v1`)).rejects.toMatchObject({
      failure: 'NotFound',
      message: expect.stringContaining('add one (ImageTagMirrorSet for tags'),
    });
    expect(first.requests.total).toBe(0);
  });

  it('that all fail are all named, in one error about the image that was asked for', async () => {
    const error: RegistryError = await pulled(await clientWith('Digest'), byDigest()).catch((e) => e);
    expect(error).toMatchObject({ failure: 'NotFound', reference: byDigest() });
    for (const place of [`${first.host}/one/catalog@`, `${second.host}/two/deep/catalog@`]) {
      expect(error.message).toContain(`(at mirror ${place}`);
    }
  });

  it('content that is refused at one place is not looked for at another', async () => {
    first.put('one/catalog:v1', image);
    second.put('two/deep/catalog:v1', image);
    const small = new HttpRegistryClient({
      limits: { ...limits, layers: 0 },
      mirrors: [
        {
          source,
          digestMirrors: [`${first.host}/one`, `${second.host}/two/deep`],
          tagMirrors: [],
          contactsSource: true,
        },
      ],
    });
    await expect(pulled(small, byDigest())).rejects.toMatchObject({ failure: 'TooLarge' });
    expect(second.requests.total).toBe(0);
  });

  it('a file that cannot be read or used ends the start', async () => {
    const settings = (name: string) => readSettings({ FLOTILLA_REGISTRY_MIRRORS_FILE: name });
    await expect(configuredRegistryClient(settings(join(directory, 'gone.yaml')))).rejects.toThrow(
      /gone\.yaml: no such file or directory/,
    );
    await writeFile(file, 'kind: Pod');
    await expect(configuredRegistryClient(settings(file))).rejects.toThrow('expected ImageDigestMirrorSet');
  });
});
