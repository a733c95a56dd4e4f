import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FailNext, type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { RegistryCredentials } from './client/registry-client.port.js';
import { HttpRegistryClient } from './http-registry-client.js';
import { FailedPulls } from './image/failed-pulls.js';
import { assembleImage, blob, buildImage } from './image-builder.js';

const MINUTE_MS = 60_000;
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

let registry: InMemoryRegistry;
let now: number;
let client: HttpRegistryClient;
beforeEach(async () => {
  registry = await startRegistry();
  now = Date.parse('2026-11-22T12:00:00Z');
  client = new HttpRegistryClient({ limits: { attempts: 1 }, failedPulls: new FailedPulls(() => now) });
});
afterEach(() => registry.stop());

const brokenImage = (name: string) => {
  const bytes = Buffer.from(`${name} is no archive`);
  return assembleImage([{ layer: blob(LAYER, bytes), diffId: `sha256:${'0'.repeat(64)}` }], {});
};
const goodImage = () => buildImage({ files: [{ path: 'a', bytes: Buffer.from('a') }], labels: {} });

/** What a pull comes to, and how many layers it asked the registry for. */
async function pull(repository = 'acme/shop', credentials: RegistryCredentials = {}) {
  const { length } = registry.log;
  const reference = `${registry.host}/${repository}:v1`;
  const outcome = await client
    .pull(reference, () => [''], { credentials })
    .then(
      () => 'pulled',
      (error: Error) => error.message,
    );
  const blobs = registry.log.slice(length).filter((line) => line.includes('/blobs/'));
  return { outcome, layers: Math.max(0, blobs.length - 1) };
}

describe('an image that is of no use', () => {
  it('is pulled once: until its time has come the same failure is given, which says until when', async () => {
    registry.put('acme/shop:v1', brokenImage('one'));
    const first = await pull();
    expect(first.outcome).toMatch(
      /cannot be unpacked.*; this digest is not pulled again before 2026-11-22T12:10:00.000Z: push another image$/,
    );
    now += 9 * MINUTE_MS;
    expect(await pull()).toEqual({ outcome: first.outcome, layers: 0 });
    now += 2 * MINUTE_MS;
    expect(await pull()).toMatchObject({ outcome: expect.stringContaining('before 2026-11-22T12:31'), layers: 1 });
  });

  it('does not hold up another digest under the same tag, nor the same digest in another repository', async () => {
    registry.put('acme/shop:v1', brokenImage('one'));
    registry.put('other/shop:v1', brokenImage('one'));
    await pull();
    expect(await pull('other/shop')).toMatchObject({ layers: 1 });
    registry.put('acme/shop:v1', await goodImage());
    expect(await pull()).toMatchObject({ outcome: 'pulled' });
  });

  it('is remembered for each login by itself', async () => {
    registry.put('acme/shop:v1', brokenImage('one'));
    await pull();
    const login = { [registry.host]: { username: 'tenant', password: 'secret' } };
    expect(await pull('acme/shop', login)).toMatchObject({ layers: 1 });
    expect(await pull('acme/shop', login)).toMatchObject({ layers: 0 });
  });

  it('is not what a registry that answers 503 gives: such a pull is tried again at once', async () => {
    registry.put('acme/shop:v1', await goodImage());
    registry.failNext({ status: 503, path: /blobs/ });
    expect((await pull()).outcome).toContain('503');
    expect((await pull()).outcome).toBe('pulled');
  });

  it.each<Readonly<{ because: string; failure: Omit<FailNext, 'path'>; says: string }>>([
    {
      because: 'answers a web page',
      failure: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Please sign in</html>' },
      says: 'web page',
    },
    { because: 'answers without an end', failure: { hostile: 'endless' }, says: 'longer than' },
    { because: 'sends other bytes', failure: { hostile: 'changed' }, says: 'digest' },
    { because: 'redirects to a file', failure: { status: 307, headers: { location: 'file:///x' } }, says: 'file:' },
    { because: 'answers 400', failure: { status: 400 }, says: '400' },
  ])('is not what a registry gives that $because: such a pull is tried again at once', async ({ failure, says }) => {
    const image = await goodImage();
    registry.put('other/shop:v1', image);
    registry.put('acme/shop:v1', image);
    await pull('other/shop');
    const [layer = ''] = /sha256:\w+/.exec(registry.log.at(-1) ?? '') ?? [];
    registry.failNext({ ...failure, path: new RegExp(`acme/shop/blobs/${layer}`) });
    const { outcome } = await pull();
    expect(outcome).toContain(says);
    expect(outcome).not.toContain('not pulled again');
    expect((await pull()).outcome).toBe('pulled');
  });
});
