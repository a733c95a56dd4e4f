import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FailNext, type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { digestOf } from '../content/digest.js';
import { Patience } from '../fairness/patience.js';
import { pullBundle } from './bundle-image.js';
import { BundlePulls } from './bundle-pulls.js';
import { MediaType } from './client/media-types.js';
import { HttpRegistryClient } from './http-registry-client.js';
import { type BuiltImage, blob, buildImage } from './image-builder.js';

const CODE = (code: string) => JSON.stringify({ errors: [{ code }] });
const AGAIN = 'push the image again';

let registry: InMemoryRegistry;
let image: BuiltImage;
const client = new HttpRegistryClient();
beforeEach(async () => {
  registry = await startRegistry();
  image = await buildImage({ files: [{ path: 'manifests/a.yaml', bytes: Buffer.from('a') }], labels: {} });
  registry.put('acme/shop:v1', image);
});
afterEach(() => registry.stop());

const reference = (name = 'acme/shop:v1') => `${registry.host}/${name}`;
/** Why a bundle cannot be pulled, without the name of its image, and after how many requests for a part. */
async function failureOf(asked = reference()) {
  const failed = await pullBundle(client, asked).then(
    () => ({ failure: 'none', message: '', isOfContent: false }),
    (error: unknown) => error as Error & { failure: string; isOfContent: boolean },
  );
  const { failure, message, isOfContent } = failed;
  return { failure, isOfContent, says: message.replace(`image ${asked}: `, '') };
}
const partsOf = ({ layers: [layer], config }: BuiltImage) =>
  [
    ['layer', layer?.digest ?? ''],
    ['config', config.digest],
  ] as const;
const asked = (digest: string) => registry.log.filter((line) => line.endsWith(digest)).length;

describe('an image of which the registry lacks a part', () => {
  const answered = (answer: string) => `is missing: registry ${registry.host} answered ${answer}: ${AGAIN}`;

  it.each<[FailNext, says: string]>([
    [{ status: 404, body: CODE('BLOB_UNKNOWN') }, '404 BLOB_UNKNOWN'],
    [{ status: 404 }, '404'],
    [{ status: 410 }, '410'],
    [{ status: 451 }, '451'],
  ])('is named with the layer or config, what the registry says, and what to do: %j', async (failure, says) => {
    for (const [part, digest] of partsOf(image)) {
      const end = registry.failAll({ ...failure, path: new RegExp(`blobs/${digest}`) });
      const { length } = registry.log;
      expect(await failureOf()).toEqual({
        failure: 'Incomplete',
        isOfContent: true,
        says: `${part} ${digest} ${answered(says)}`,
      });
      expect(registry.log.slice(length).filter((line) => line.endsWith(digest))).toHaveLength(1);
      end();
    }
  });

  it('is named if an index names a manifest that is not there', async () => {
    const gone = digestOf(Buffer.from('gone'));
    const platform = { os: 'linux', architecture: 'amd64' };
    const entry = { mediaType: MediaType.ociManifest, digest: gone, size: 4, platform };
    const index = blob(MediaType.ociIndex, Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [entry] })));
    registry.putManifest('acme/shop:v1', index.mediaType, index.bytes);
    expect(await failureOf()).toMatchObject({
      failure: 'Incomplete',
      says: `manifest ${gone} ${answered('404 MANIFEST_UNKNOWN')}`,
    });
    expect(asked(gone)).toBe(1);
  });

  it.each<[what: string, served: string, says: (part: string) => string]>([
    ['nothing', '', (part) => `${part} ended after 0 of`],
    ['too little', 'x', (part) => `${part} ended after 1 of`],
  ])('is named if %s comes, which is not asked for again', async (_, served, says) => {
    for (const [part, digest] of partsOf(image)) {
      const end = registry.failAll({ status: 200, body: served, path: new RegExp(`blobs/${digest}`) });
      const { says: line, ...failed } = await failureOf();
      expect(failed).toEqual({ failure: 'DigestMismatch', isOfContent: true });
      expect(line).toContain(says(`${part} ${digest}`));
      expect(line).toMatch(/ bytes: push the image again$/);
      end();
    }
  });

  it('is named if other bytes come', async () => {
    const digest = image.layers[0]?.digest ?? '';
    registry.failNext({ hostile: 'changed', path: new RegExp(`blobs/${digest}`) });
    const { says } = await failureOf();
    expect(says).toMatch(new RegExp(`^layer ${digest} came with digest sha256:[0-9a-f]{12}…: push the image again$`));
  });

  it('is one of several bundles: the others come', async () => {
    registry.put(
      'acme/other:v1',
      await buildImage({ files: [{ path: 'manifests/b.yaml', bytes: Buffer.from('b') }], labels: {} }),
    );
    const pulls = BundlePulls.withoutTurns(client);
    const wanted = ['acme/shop:v1', 'acme/other:v1'].map((name) => ({
      image: reference(name),
      credentials: {},
      timeoutMs: 0,
    }));
    const waiting = {
      owner: { cluster: 'east', namespace: 'mill' },
      patience: new Patience(10_000),
      signal: new AbortController().signal,
      wake: () => undefined,
    };
    registry.failNext({ status: 404, path: new RegExp(image.layers[0]?.digest ?? '') });
    expect(await pulls.pull(wanted, waiting)).toMatchObject({
      bundles: [{ unusable: { failure: 'Incomplete' } }, { files: [{ path: 'manifests/b.yaml' }] }],
    });
    expect(await pulls.pull(wanted, waiting)).toMatchObject({ bundles: [{ files: [{}] }, { files: [{}] }] });
  });
});

describe('an image that the registry does not have at all', () => {
  it.each([404, 410])('is said to be unknown after %i: its name may be wrong', async (status) => {
    registry.failNext({ status, path: /manifests/ });
    expect(await failureOf()).toEqual({
      failure: 'NotFound',
      isOfContent: false,
      says: `registry ${registry.host} answered ${status}: repository "acme/shop" has no such image: check name and tag`,
    });
  });
});
