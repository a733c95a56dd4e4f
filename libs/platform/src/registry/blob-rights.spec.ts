import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { DiskContentStore } from '../content/disk-content-store.js';
import { DiskProvenance } from '../content/disk-provenance.js';
import { RecentImages } from './client/recent-images.js';
import { HttpRegistryClient } from './http-registry-client.js';
import { buildImage } from './image-builder.js';
import type { MirrorRule } from './mirrors/mirror-sets.js';

const LOGIN = { username: 'tenant-a', password: 'right' };

let owner: InMemoryRegistry;
let attacker: InMemoryRegistry;
let directory: string;
beforeEach(async () => {
  [owner, attacker] = await Promise.all([startRegistry(), startRegistry()]);
  directory = await mkdtemp(join(tmpdir(), 'flotilla-blobs-'));
});
afterEach(async () => {
  await Promise.all([owner.stop(), attacker.stop()]);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

const image = () =>
  buildImage({ files: [{ path: 'manifests/csv.yaml', bytes: Buffer.from('kind: Secret') }], labels: {} });
const login = () => ({ credentials: { [owner.host]: LOGIN } });

/** A registry client with its content on disk, as an applier has from its start on. */
async function startClient(mirrors: readonly MirrorRule[] = []) {
  const client = new HttpRegistryClient({
    limits: { attempts: 1 },
    store: await DiskContentStore.open(directory),
    provenance: new DiskProvenance(join(directory, 'provenance')),
    mirrors,
  });
  return (reference: string, options = {}) => client.pull(reference, () => [''], options);
}

describe('an image that was read a short while ago', () => {
  const held = () => ({ recent: new RecentImages({ maxBytes: 1_000, keptMs: 60_000 }) });

  it('is taken from memory once its registry has given the manifest', async () => {
    owner.put('mill/bundle:1', await image());
    const pull = await startClient();
    const options = held();
    const first = await pull(`${owner.host}/mill/bundle:1`, options);
    await rm(directory, { recursive: true, maxRetries: 5 });
    owner.failNext({ status: 404, path: /blobs/, times: 10 });
    expect(await pull(`${owner.host}/mill/bundle:1`, options)).toEqual(first);
    owner.failNext({ status: 404, path: /manifests/, times: 10 });
    await expect(pull(`${owner.host}/mill/bundle:1`, options)).rejects.toMatchObject({ failure: 'NotFound' });
  });

  it('is given neither to another repository with the same manifest nor to a refused login', async () => {
    const bundle = await image();
    owner.put('priv/bundle:1', bundle);
    owner.requireAuth(LOGIN);
    const pull = await startClient();
    const options = held();
    await pull(`${owner.host}/priv/bundle:1`, { ...login(), ...options });
    await expect(pull(`${owner.host}/priv/bundle:1`, options)).rejects.toMatchObject({ failure: 'Unauthorized' });
    attacker.putManifest('mine/bundle:1', bundle.manifest.mediaType, bundle.manifest.bytes);
    const stolen = pull(`${attacker.host}/mine/bundle:1`, options);
    await expect(stolen).rejects.toMatchObject({ failure: 'Incomplete' });
  });
});

describe('blobs that are held', () => {
  it('are not given to a registry that names their digests in a manifest of its own', async () => {
    const bundle = await image();
    owner.put('priv/bundle:1', bundle);
    owner.requireAuth(LOGIN);
    const pull = await startClient();
    await pull(`${owner.host}/priv/bundle:1`, login());
    attacker.putManifest('mine/bundle:1', bundle.manifest.mediaType, bundle.manifest.bytes);
    for (const again of [pull, await startClient()]) {
      await expect(again(`${attacker.host}/mine/bundle:1`)).rejects.toMatchObject({ failure: 'Incomplete' });
    }
  });

  it('are not given to another repository of the same registry, which decides itself', async () => {
    const bundle = await image();
    owner.put('priv/bundle:1', bundle);
    const pull = await startClient();
    await pull(`${owner.host}/priv/bundle:1`);
    owner.putManifest('mine/bundle:1', bundle.manifest.mediaType, bundle.manifest.bytes);
    owner.failNext({ status: 404, path: /mine\/bundle\/blobs/, times: 10 });
    await expect(pull(`${owner.host}/mine/bundle:1`)).rejects.toMatchObject({ failure: 'Incomplete' });
  });

  it('are not given to a login that their registry refuses', async () => {
    owner.put('priv/bundle:1', await image());
    owner.requireAuth(LOGIN);
    const pull = await startClient();
    await pull(`${owner.host}/priv/bundle:1`, login());
    await expect(pull(`${owner.host}/priv/bundle:1`)).rejects.toMatchObject({ failure: 'Unauthorized' });
  });

  it('are pulled once from their repository, for all logins and also after a restart', async () => {
    owner.put('priv/bundle:1', await image());
    owner.requireAuth(LOGIN);
    await (await startClient())(`${owner.host}/priv/bundle:1`, login());
    const { blobs } = owner.requests;
    const pull = await startClient();
    await pull(`${owner.host}/priv/bundle:1`, login());
    await pull(`${owner.host}/priv/bundle:1`, { credentials: { [owner.host]: { registryToken: owner.token } } });
    expect(owner.requests.blobs).toBe(blobs);
  });

  it('that a mirror gave count for the repository that it stands for', async () => {
    const [built, mirror] = [await image(), attacker];
    for (const place of [mirror, owner]) place.put('shelf/bundle:1', built);
    const rule = { source: owner.host, digestMirrors: [], tagMirrors: [mirror.host], contactsSource: true };
    await (await startClient([rule]))(`${owner.host}/shelf/bundle:1`);
    expect(owner.requests.total).toBe(0);
    await (await startClient())(`${owner.host}/shelf/bundle:1`);
    expect(owner.requests.blobs).toBe(0);
  });

  it('on their way from one registry keep no pull from another waiting', async () => {
    const bundle = await image();
    for (const registry of [owner, attacker]) registry.put('shelf/bundle:1', bundle);
    attacker.failNext({ hang: 'before', path: /blobs/, times: 10 });
    const pull = await startClient();
    const ends = new AbortController();
    const stalled = pull(`${attacker.host}/shelf/bundle:1`, { signal: ends.signal });
    stalled.catch(() => undefined);
    await expect.poll(() => attacker.requests.blobs, PATIENCE).toBe(1);
    expect((await pull(`${owner.host}/shelf/bundle:1`)).files).toHaveLength(1);
    ends.abort(new Error('the test has ended'));
    await expect(stalled).rejects.toThrow();
  });
});

describe('the access that a request has', () => {
  const access = (reference: string, credentials = {}, mirrors: readonly MirrorRule[] = []) =>
    new HttpRegistryClient({ mirrors }).access(reference, { credentials });
  const one = { 'quay.io': LOGIN };
  const two = { 'quay.io': { ...LOGIN, password: 'other' } };

  it('is that of its host, repository and login', () => {
    const same = access('quay.io/a/b:1', one);
    expect(access(`quay.io/a/b@sha256:${'1'.repeat(64)}`, one)).toBe(same);
    expect(access('quay.io/a/b:2', { ...one, 'other.example': LOGIN })).toBe(same);
    const others = [access('quay.io/a/c:1', one), access('quay.example/a/b:1', one), access('quay.io/a/b:1', two)];
    expect(new Set([same, access('quay.io/a/b:1'), ...others]).size).toBe(5);
  });

  it('counts the logins for mirrors, and shows none', () => {
    const rule = { source: 'quay.io', digestMirrors: ['d.example'], tagMirrors: ['t.example'], contactsSource: true };
    const keys = ['d.example', 't.example', 'quay.io'].map((host) =>
      access('quay.io/a/b:1', { [host]: LOGIN }, [rule]),
    );
    expect(new Set([access('quay.io/a/b:1', {}, [rule]), ...keys]).size).toBe(4);
    expect(keys.join()).toMatch(/^[0-9a-f]{64}(,[0-9a-f]{64}){2}$/);
  });
});
