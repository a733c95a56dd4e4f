import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { CatalogContents } from '../contents/catalog-contents.js';
import { readCatalog } from '../contents/read-catalog.js';

const LOGIN = { username: 'tenant-a', password: 'right' };
const NO_LOGIN = { credentials: {} };
const CATALOG = `schema: olm.package
name: ant
defaultChannel: stable
---
schema: olm.channel
package: ant
name: stable
entries: [{name: ant.v1.0.0}]
---
schema: olm.bundle
package: ant
name: ant.v1.0.0
image: registry.example/ant:v1
properties: [{type: olm.package, value: {packageName: ant, version: 1.0.0}}]
`;

/** The registry of the owner of the catalog, and one that an attacker runs. */
let owner: InMemoryRegistry;
let attacker: InMemoryRegistry;
let directory: string;
beforeEach(async () => {
  [owner, attacker] = await Promise.all([startRegistry(), startRegistry()]);
  directory = await mkdtemp(join(tmpdir(), 'flotilla-rights-'));
});
afterEach(async () => {
  await Promise.all([owner.stop(), attacker.stop()]);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const image = () =>
  buildImage({
    files: [{ path: 'configs/a.yaml', bytes: Buffer.from(CATALOG) }],
    labels: { [CATALOG_LABEL]: '/configs' },
  });

/** The private catalog, and the login that its registry asks for. */
async function pushPrivate() {
  const built = await image();
  const digest = owner.put('priv/catalog:1', built);
  owner.requireAuth(LOGIN);
  return { built, digest, tag: `${owner.host}/priv/catalog:1`, pinned: `${owner.host}/priv/catalog@${digest}` };
}
const login = () => ({ credentials: { [owner.host]: LOGIN } });

/** State of a poller from its start on; a second one is the same poller after a restart. */
async function startPoller() {
  const store = await DiskContentStore.open(join(directory, 'content'));
  let reads = 0;
  const reader = {
    read: (request: Parameters<typeof readCatalog>[0]) => {
      reads += 1;
      return readCatalog(request);
    },
  };
  const registry = new HttpRegistryClient({ limits: { attempts: 1 } });
  const contents = new CatalogContents(registry, store, join(directory, 'poller'), reader);
  return { contents, reads: () => reads };
}

/** The answer to the next HEAD of the attacker's registry: any digest that the attacker wants. */
const claim = (digest: string) =>
  attacker.failNext({ status: 200, headers: { 'docker-content-digest': digest }, path: /manifests/ });

describe('a digest that a registry claims', () => {
  it('opens no content that another registry gave', async () => {
    const { digest, tag } = await pushPrivate();
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    claim(digest);
    await expect(contents.ofImage(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
    claim(digest);
    await expect(contents.servableImage(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
  });

  it('opens no content to a registry that has the manifest but not the layers', async () => {
    const { built, tag } = await pushPrivate();
    attacker.putManifest('mine/catalog:1', built.manifest.mediaType, built.manifest.bytes);
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    await expect(contents.ofImage(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
  });

  it('opens no content to an index that refers to the manifest of another registry', async () => {
    const { built, digest, tag } = await pushPrivate();
    const { mediaType, bytes } = built.manifest;
    const platform = { architecture: 'amd64', os: 'linux' };
    const index = JSON.stringify({
      ...{ schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json' },
      manifests: [{ mediaType, digest, size: bytes.length, platform }],
    });
    attacker.putManifest('mine/catalog:1', 'application/vnd.oci.image.index.v1+json', Buffer.from(index));
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    for (const read of [contents.ofImage.bind(contents), contents.servableImage.bind(contents)])
      await expect(read(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
    expect(attacker.log.join()).toContain(digest);
  });

  it('opens no content to a manifest whose layers name the URLs of another registry', async () => {
    const { built, tag } = await pushPrivate();
    const manifest = JSON.parse(Buffer.from(built.manifest.bytes).toString());
    const layers = manifest.layers.map((layer: { digest: string }) => ({
      ...layer,
      urls: [`http://${owner.host}/v2/priv/catalog/blobs/${layer.digest}`],
    }));
    const bytes = Buffer.from(JSON.stringify({ ...manifest, layers }));
    attacker.putManifest('mine/catalog:1', built.manifest.mediaType, bytes);
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    const before = owner.requests.total;
    await expect(contents.ofImage(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
    expect(owner.requests.total).toBe(before);
  });

  it('opens no content after a restart either', async () => {
    const { digest, tag } = await pushPrivate();
    await (await startPoller()).contents.ofImage(tag, login());
    const { contents } = await startPoller();
    claim(digest);
    await expect(contents.ofImage(`${attacker.host}/mine/catalog:1`, NO_LOGIN)).rejects.toThrow(/not found|404/i);
  });

  it('keeps no other registry’s catalog waiting', async () => {
    const built = await image();
    const digest = owner.put('open/catalog:1', built);
    claim(digest);
    attacker.failNext({ hang: 'before', path: /manifests\/sha256/, times: 10 });
    const { contents } = await startPoller();
    const ends = new AbortController();
    const stalled = contents.ofImage(`${attacker.host}/mine/catalog:1`, { ...NO_LOGIN, signal: ends.signal });
    stalled.catch(() => undefined);
    await expect.poll(() => attacker.log.filter((line) => line.startsWith('GET')), PATIENCE).toHaveLength(1);
    expect((await contents.ofImage(`${owner.host}/open/catalog:1`, NO_LOGIN)).packages).toBe(1);
    ends.abort(new Error('the test has ended'));
    await expect(stalled).rejects.toThrow();
  });

  it('keeps no other login at the same repository waiting', async () => {
    const { tag } = await pushPrivate();
    const { contents } = await startPoller();
    const ends = new AbortController();
    owner.failNext({ hang: 'before', path: /blobs\/sha256/ });
    const stalled = contents.ofImage(tag, { ...login(), signal: ends.signal });
    stalled.catch(() => undefined);
    await expect.poll(() => owner.requests.blobs, PATIENCE).toBe(1);
    const other = { credentials: { [owner.host]: { registryToken: owner.token } } };
    expect((await contents.ofImage(tag, other)).packages).toBe(1);
    ends.abort(new Error('the test has ended'));
    await expect(stalled).rejects.toThrow();
  });
});

describe('a catalog named by its digest', () => {
  it('is not served to a login that its registry refuses', async () => {
    const { tag, pinned } = await pushPrivate();
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    await expect(contents.servableImage(pinned, NO_LOGIN)).rejects.toThrow('asks for a login');
    const wrong = { credentials: { [owner.host]: { ...LOGIN, password: 'wrong' } } };
    await expect(contents.servableImage(pinned, wrong)).rejects.toThrow('refused');
  });

  it('is not served to another login while its registry is away', async () => {
    const { tag, pinned } = await pushPrivate();
    const { contents } = await startPoller();
    await contents.ofImage(tag, login());
    owner.failNext({ status: 503, times: 100 });
    await expect(contents.servableImage(pinned, NO_LOGIN)).rejects.toThrow('503');
  });

  it('is served to the login that its registry gave it to, asked once for each start', async () => {
    const { pinned } = await pushPrivate();
    const first = await startPoller();
    await first.contents.servableImage(pinned, login());
    const pulled = owner.requests.total;
    await first.contents.servableImage(pinned, login());
    expect(owner.requests.total).toBe(pulled);
    const second = await startPoller();
    const blobs = owner.requests.blobs;
    const manifests = owner.requests.manifests;
    for (let n = 0; n < 3; n += 1) await second.contents.servableImage(pinned, login());
    // The HEAD, and the same again with the token that its registry asked for.
    expect({ blobs: owner.requests.blobs, manifests: owner.requests.manifests - manifests }).toEqual({
      blobs,
      manifests: 2,
    });
    expect(second.reads()).toBe(0);
  });
});

describe('content that several registries or logins give', () => {
  it('is pulled from each registry once, and shares one index', async () => {
    const built = await image();
    for (const registry of [owner, attacker]) registry.put('open/catalog:1', built);
    const first = await startPoller();
    const [one, two] = await Promise.all(
      [owner, attacker].map(async ({ host }) => first.contents.ofImage(`${host}/open/catalog:1`, NO_LOGIN)),
    );
    expect(two?.index).toBe(one?.index);
    const blobs = () => [owner.requests.blobs, attacker.requests.blobs];
    const pulled = blobs();
    expect(pulled).toEqual([2, 2]);
    const second = await startPoller();
    for (const { host } of [owner, attacker]) await second.contents.ofImage(`${host}/open/catalog:1`, NO_LOGIN);
    expect(blobs()).toEqual(pulled);
    expect(second.reads()).toBe(0);
  });

  it('is asked for with one request by a second login, and not pulled again', async () => {
    const { tag } = await pushPrivate();
    const { contents, reads } = await startPoller();
    const one = await contents.ofImage(tag, login());
    const { total, blobs } = owner.requests;
    const other = { credentials: { [owner.host]: { registryToken: owner.token } } };
    const two = await contents.ofImage(tag, other);
    expect(two.index).toBe(one.index);
    // The HEAD without and with the token.
    expect({ total: owner.requests.total, blobs: owner.requests.blobs, reads: reads() }).toEqual({
      total: total + 2,
      blobs,
      reads: 1,
    });
  });
});
