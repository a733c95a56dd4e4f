import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pullBundle } from '#platform/registry/bundle-image';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (file: { bytes: Uint8Array } | undefined) => Buffer.from(file?.bytes ?? []).toString('utf8');

describe('an image in a registry', () => {
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.stop());

  it('comes back as it was pushed: digest, labels and the catalog below its label', async () => {
    const image = await buildImage({
      files: [
        { path: 'configs/etcd/catalog.yaml', bytes: bytes('schema: olm.package\n') },
        { path: 'configs/.indexignore', bytes: bytes('docs\n') },
        { path: 'bin/opm', bytes: bytes('not wanted') },
      ],
      labels: { [CATALOG_LABEL]: '/configs' },
    });
    const client = new HttpRegistryClient();
    const reference = `${registry.host}/acme/catalog:v1`;

    const pushed = await pushImage(client, reference, image);
    const pulled = await pullCatalog(client, reference);

    expect(pulled.digest).toBe(pushed);
    expect(await client.resolve(reference)).toBe(pushed);
    expect(pulled.files.map(({ path }) => path)).toEqual(['.indexignore', 'etcd/catalog.yaml']);
    expect(text(pulled.files[1])).toBe('schema: olm.package\n');
  });

  it('that is a bundle is refused where it would fill memory', async () => {
    const part = new Uint8Array(11 * 2 ** 20);
    const files = ['a', 'b', 'c'].map((name) => ({ path: `manifests/${name}.yaml`, bytes: part }));
    const reference = `${registry.host}/acme/large:v1`;
    await pushImage(new HttpRegistryClient(), reference, await buildImage({ files, labels: {} }));
    await expect(pullBundle(new HttpRegistryClient(), reference)).rejects.toMatchObject({
      failure: 'TooLarge',
      message: expect.stringContaining(`more than ${32 * 2 ** 20} bytes in "/manifests/"`),
    });
  });
});
