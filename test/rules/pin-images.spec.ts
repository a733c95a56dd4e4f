import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { PINNED_IMAGES, pinImages, pinText } from '../../scripts/supply-chain/pin-text.js';

const read = (path: string) => readFileSync(join(PROJECT_ROOT, path), 'utf8');

describe('make pin-images', () => {
  const files = ['Dockerfile', 'docker-compose*.yml', 'k8s/**/*.yaml', 'charts/*/{*.yaml,*.md,templates/**/*.yaml}']
    .flatMap((pattern) => globSync(pattern, { cwd: PROJECT_ROOT }))
    .toSorted();

  it.each(Object.entries(PINNED_IMAGES))('writes the digest of %s into every file that names it', (image, pinned) => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const named = files.filter((file) => pinText(read(file), image, digest) !== read(file));
    expect(named).toEqual(pinned.toSorted());
  });

  it('knows every image of Compose, k8s and the chart but that of Flotilla', () => {
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/^\s*image: "?(?:\$\{\w+:-)?([^\s{}"$]+:[^\s{}"@]+)/gm)].map(([, image = '']) => image),
    );
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((image) => !image.startsWith('flotilla') && !(image in PINNED_IMAGES))).toEqual([]);
  });

  it('writes what a registry says into a checkout, and leaves it alone where an image is missing', async () => {
    const registry = await startRegistry();
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-pins-'));
    try {
      const hosts = ['docker.io', 'registry.k8s.io'];
      const mirrors = hosts.map((source) => ({
        ...{ source, digestMirrors: [], tagMirrors: [registry.host], contactsSource: false },
      }));
      const client = new HttpRegistryClient({ mirrors });
      const pin = () =>
        pinImages(
          folder,
          (image) => client.resolve(image),
          () => undefined,
        );
      for (const file of new Set(Object.values(PINNED_IMAGES).flat())) {
        cpSync(join(PROJECT_ROOT, file), join(folder, file));
      }
      const digests: string[] = [];
      for (const image of Object.keys(PINNED_IMAGES)) {
        await expect(pin()).rejects.toThrow(image);
        expect(readFileSync(join(folder, 'Dockerfile'), 'utf8')).toBe(read('Dockerfile'));
        const built = await buildImage({ files: [{ path: 'name', bytes: Buffer.from(image) }], labels: {} });
        const path = image.includes('/') ? image.replace('registry.k8s.io/', '') : `library/${image}`;
        digests.push(registry.put(path, built));
      }
      await pin();
      for (const [at, [image, files]] of Object.entries(PINNED_IMAGES).entries()) {
        for (const file of files) {
          expect(readFileSync(join(folder, file), 'utf8'), file).toContain(`${image}@${digests[at]}`);
        }
      }
    } finally {
      rmSync(folder, { recursive: true, maxRetries: 5 });
      await registry.stop();
    }
  });
});
