import { describe, expect, it } from 'vitest';
import { oddImage } from '#testing/registry/odd-image';
import { settles } from '#testing/settles';
import type { Refuse } from '../client/image-manifest.js';
import { RegistryError } from '../client/registry-client.port.js';
import { defaultRegistryLimits } from '../client/registry-limits.js';
import { ImagePuller, type ImageSource } from './image-puller.js';
import { readVerified } from './verified-blob.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
/** The first of the seeds that are played: the same in each run, unless another one is asked for. */
const FIRST = Number(process.env['FLOTILLA_TEST_SEED'] ?? 1);
const RUNS = Number(process.env['FLOTILLA_TEST_RUNS'] ?? 150);

async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Pulls the image of a seed. Returns its files below `manifests` and `metadata`, by path. */
async function pulled(seed: number): Promise<Map<string, string>> {
  const { blobs, documents } = oddImage(seed);
  const of = (document: (typeof documents)[number] | undefined) => {
    if (document === undefined) throw new Error(`image ${seed} has no such document`);
    const { digest, bytes, mediaType } = document;
    return { digest, document: { bytes, contentType: mediaType } };
  };
  const source: ImageSource = {
    named: async () => of(documents.at(-1)),
    manifest: async (digest) => of(documents.find((one) => one.digest === digest)),
    blob: (one, consume) => {
      const bytes = blobs.find(({ digest }) => digest === one.digest)?.bytes ?? new Uint8Array();
      return readVerified(one, inChunks(bytes, 100 + ((seed * 997) % 20_000)), consume, refuse);
    },
  };
  const puller = new ImagePuller(source, defaultRegistryLimits, 'amd64', refuse);
  const { files } = await puller.pull(() => ['manifests', 'metadata']);
  return new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('latin1')]));
}

const sorted = (files: ReadonlyMap<string, string>) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

describe('images of every shape', () => {
  it(`have the files that a container has: ${RUNS} images from seed ${FIRST} on`, async () => {
    let files = 0;
    for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
      const found = await settles(pulled(seed), `the pull of image ${seed}`);
      expect(sorted(found), `seed ${seed}`).toEqual(sorted(oddImage(seed).files));
      files += found.size;
    }
    expect(files).toBeGreaterThan(RUNS);
  });

  it('are the same for the same seed', () => {
    expect(oddImage(FIRST)).toEqual(oddImage(FIRST));
  });
});
