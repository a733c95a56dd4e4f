import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { settles } from '#testing/settles';
import type { Digest } from '../../content/content-store.port.js';
import { digestOf } from '../../content/digest.js';
import type { Refuse } from '../client/image-manifest.js';
import { MediaType } from '../client/media-types.js';
import { RegistryError } from '../client/registry-client.port.js';
import { defaultRegistryLimits, type RegistryLimits } from '../client/registry-limits.js';
import { assembleImage, type BuiltBlob, type BuiltImage, blob, buildImage } from '../image-builder.js';
import { hostArchitecture, ImagePuller, type ImageSource, type PullGuard } from './image-puller.js';
import { readVerified } from './verified-blob.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
const refusal = (failure: string, says: string) =>
  expect.objectContaining({ failure, message: expect.stringContaining(says) });

/** A registry of one repository, which names `named`; `asked` are the blobs that were read. */
function sourceOf(named: BuiltBlob, documents: readonly BuiltBlob[], blobs: readonly BuiltBlob[]) {
  const asked: Digest[] = [];
  const found = ({ digest, bytes, mediaType }: BuiltBlob) => ({ digest, document: { bytes, contentType: mediaType } });
  const source: ImageSource = {
    named: async () => found(named),
    manifest: async (digest) => found(documents.find((one) => one.digest === digest) ?? named),
    blob: async ({ digest }, consume) => {
      asked.push(digest);
      return consume(ReadableStream.from([blobs.find((one) => one.digest === digest)?.bytes ?? new Uint8Array()]));
    },
  };
  return { source, asked };
}
const ofImage = (image: BuiltImage) => sourceOf(image.manifest, [image.manifest], [image.config, ...image.layers]);
const indexOf = (entries: readonly Readonly<{ of: BuiltBlob; architecture: string }>[]) => {
  const manifests = entries.map(({ of: { digest, mediaType, bytes }, architecture }) => ({
    digest,
    mediaType,
    size: bytes.length,
    platform: { os: 'linux', architecture },
  }));
  return blob(MediaType.ociIndex, Buffer.from(JSON.stringify({ schemaVersion: 2, manifests })));
};

const file = (path: string, text = path) => ({ path, bytes: Buffer.from(text) });
const image = (paths: readonly string[], labels: Record<string, string> = {}) =>
  buildImage({ files: paths.map((path) => file(path)), labels });
async function layered(layers: readonly TarEntry[][]): Promise<BuiltImage> {
  const built = await Promise.all(
    layers.map(async (entries) => {
      const tar = await packTar(entries);
      return { layer: blob(MediaType.ociLayerGzip, gzipSync(tar)), diffId: digestOf(tar) };
    }),
  );
  return assembleImage(built, {});
}
const tarFile = (name: string, text: string): TarEntry => ({
  header: { name, type: 'file', size: text.length },
  body: text,
});
const tarLink = (name: string, linkname: string): TarEntry => ({
  header: { name, type: 'symlink', size: 0, linkname },
});

type Options = Readonly<{ limits?: Partial<RegistryLimits>; architecture?: string; guard?: PullGuard }>;
const puller = (source: ImageSource, { limits = {}, architecture = 'amd64', guard = {} }: Options = {}) =>
  new ImagePuller(source, { ...defaultRegistryLimits, ...limits }, architecture, refuse, guard);
const textsOf = (files: readonly Readonly<{ path: string; bytes: Uint8Array }>[]) =>
  files.map(({ path, bytes }) => `${path}=${Buffer.from(bytes)}`);

describe('pull', () => {
  it('gives labels, digest and the wanted files, sorted', async () => {
    const built = await image(['b', 'a/c', 'a/b', 'other'], { where: 'a' });
    const pulled = await puller(ofImage(built).source).pull(({ where = '' }) => [where]);
    expect(pulled).toMatchObject({
      digest: built.manifest.digest,
      resolved: built.manifest.digest,
      labels: { where: 'a' },
    });
    expect(textsOf(pulled.files)).toEqual(['a/b=a/b', 'a/c=a/c']);
  });

  it('lays layers over each other in the order of the manifest', async () => {
    const built = await layered([
      [tarFile('a', 'old'), tarFile('b', 'gone')],
      [tarFile('a', 'new'), tarFile('.wh.b', '')],
    ]);
    const { files } = await puller(ofImage(built).source).pull(() => ['']);
    expect(textsOf(files)).toEqual(['a=new']);
  });

  it.each([
    { architecture: 'arm64', pulls: 'arm' },
    { architecture: 'amd64', pulls: 'amd' },
    { architecture: 's390x', pulls: 'amd' },
  ])('takes the image for $architecture, and resolves to the digest of the index', async ({ architecture, pulls }) => {
    const [arm, amd] = await Promise.all([image(['arm']), image(['amd'])]);
    const index = indexOf([
      { of: arm.manifest, architecture: 'arm64' },
      { of: amd.manifest, architecture: 'amd64' },
    ]);
    const { source } = sourceOf(
      index,
      [arm.manifest, amd.manifest],
      [arm, amd].flatMap((one) => [one.config, ...one.layers]),
    );
    const { files, digest, resolved } = await puller(source, { architecture }).pull(() => ['']);
    expect(files.map(({ path }) => path)).toEqual([pulls]);
    expect({ digest, resolved }).toEqual({
      digest: (pulls === 'arm' ? arm : amd).manifest.digest,
      resolved: index.digest,
    });
  });

  it('follows an index to another one, but not without end', async () => {
    const built = await image(['a']);
    const blobs = [built.config, ...built.layers];
    const inner = indexOf([{ of: built.manifest, architecture: 'amd64' }]);
    const outer = indexOf([{ of: inner, architecture: 'amd64' }]);
    const twice = sourceOf(outer, [inner, built.manifest], blobs);
    expect(await puller(twice.source).pull(() => [''])).toMatchObject({
      resolved: outer.digest,
      files: [{ path: 'a' }],
    });
    const itself = sourceOf(inner, [{ ...inner, digest: built.manifest.digest }], blobs);
    await expect(puller(itself.source).pull(() => [''])).rejects.toThrow(refusal('Unsupported', 'nested too deeply'));
  });

  it('reads layers again for files that a wanted link leads to', async () => {
    const built = await layered([[tarFile('real/a', 'text')], [tarLink('wanted/l', '../real/a')]]);
    const { source, asked } = ofImage(built);
    const { files } = await puller(source).pull(() => ['wanted']);
    expect(textsOf(files)).toEqual(['wanted/l=text']);
    expect(asked).toHaveLength(1 + 2 * 2);
  });

  it('reads layers once where links lead to what is wanted', async () => {
    const built = await layered([[tarFile('a', 'text'), tarLink('l', 'a')]]);
    const { source, asked } = ofImage(built);
    expect(textsOf((await puller(source).pull(() => [''])).files)).toEqual(['a=text', 'l=text']);
    expect(asked).toHaveLength(2);
  });

  it('counts every name of a file', async () => {
    const built = await layered([[tarFile('a', 'text'), tarLink('l', 'a'), tarLink('m', 'a')]]);
    const pull = (wantedBytes: number) => puller(ofImage(built).source, { limits: { wantedBytes } }).pull(() => ['']);
    expect((await pull(12)).files).toHaveLength(3);
    await expect(pull(11)).rejects.toThrow(refusal('TooLarge', 'more than 11 bytes in the files to read'));
  });
});

describe('before a layer is pulled', () => {
  const ofType = (mediaType: string) =>
    assembleImage([{ layer: blob(mediaType, Buffer.from('x')), diffId: digestOf(Buffer.from('x')) }], {});
  const two = () => layered([[tarFile('a', '1')], [tarFile('b', '2')]]);
  it.each([
    {
      because: 'many layers',
      made: two,
      limits: { layers: 1 },
      failure: 'TooLarge',
      says: 'the image has 2 layers; the limit is 1',
    },
    {
      because: 'large layers',
      made: two,
      limits: { compressedBytes: 9 },
      failure: 'TooLarge',
      says: 'bytes; the limit is 9',
    },
    {
      because: 'a layer of another kind',
      made: async () => ofType('application/vnd.in-toto+json'),
      limits: {},
      failure: 'Unsupported',
      says: 'has media type "application/vnd.in-toto+json": layers must be tar, tar+gzip or tar+zstd',
    },
  ])('an image is refused for $because', async ({ made, limits, failure, says }) => {
    const built = await made();
    const { source, asked } = ofImage(built);
    await expect(puller(source, { limits }).pull(() => [''])).rejects.toThrow(refusal(failure, says));
    expect(asked).toEqual([built.config.digest]);
  });

  it('a large config is refused, and not read', async () => {
    const { source, asked } = ofImage(await image(['a'], { a: 'x'.repeat(500) }));
    await expect(puller(source, { limits: { documentBytes: 500 } }).pull(() => [''])).rejects.toThrow(
      refusal('TooLarge', 'the limit is 500'),
    );
    expect(asked).toEqual([]);
  });

  it('labels that make the image useless are found, in memory and on disk', async () => {
    const built = await image(['a'], { kind: 'tool' });
    const { source, asked } = ofImage(built);
    const check = ({ kind }: Readonly<Record<string, string>>): never => {
      throw new Error(`it is a ${kind}`);
    };
    const folder = await mkdtemp(join(tmpdir(), 'image-puller-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    await expect(puller(source).pull(check)).rejects.toThrow('it is a tool');
    await expect(puller(source).pullTo(join(folder, 'image'), check)).rejects.toThrow('it is a tool');
    expect(asked).toEqual([built.config.digest, built.config.digest]);
  });

  it('what is known of the digest of the image counts', async () => {
    const built = await image(['a']);
    const { source, asked } = ofImage(built);
    const layers = async (digest: Digest) => Promise.reject(new Error(`${digest} is of no use`));
    await expect(puller(source, { guard: { layers } }).pull(() => [''])).rejects.toThrow(
      `${built.manifest.digest} is of no use`,
    );
    expect(asked).toEqual([built.config.digest]);
  });
});

describe('pullTo', () => {
  let top: string;
  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'image-puller-'));
  });
  afterEach(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));

  it('writes the wanted files where they belong', async () => {
    const built = await image(['configs/a', 'configs/b/c', 'bin/tool'], { where: 'configs' });
    const disk: number[] = [];
    const directory = join(top, 'image');
    const place = ({ where = '' }: Readonly<Record<string, string>>) => where;
    const guard = { onDisk: (bytes: number) => void disk.push(bytes) };
    expect(await puller(ofImage(built).source, { guard }).pullTo(directory, place)).toEqual({
      digest: built.manifest.digest,
      resolved: built.manifest.digest,
      labels: { where: 'configs' },
      bytes: 'configs/a'.length + 'configs/b/c'.length,
      files: 2,
    });
    expect((await readdir(directory)).toSorted()).toEqual(['a', 'b']);
    expect(await readFile(join(directory, 'b/c'), 'utf8')).toBe('configs/b/c');
    expect(disk.reduce((sum, bytes) => sum + bytes, 0)).toBe(20);
  });

  it('leaves nothing behind of an image that is refused on the way', async () => {
    const built = await layered([[tarFile('a', 'text')], [tarFile('../b', 'text')]]);
    const pull = puller(ofImage(built).source).pullTo(join(top, 'image'), () => '');
    await expect(pull).rejects.toThrow(refusal('UnsafePath', 'climbs out'));
    expect(await readdir(top)).toEqual([]);
  });
});

describe('hostArchitecture', () => {
  it("is Go's name", () => {
    const names: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64', s390x: 's390x', ia32: '386' };
    expect(hostArchitecture()).toBe(names[process.arch] ?? process.arch);
  });
});

describe('a layer that stands still', () => {
  async function* stuck(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, 10);
    await new Promise(() => undefined);
  }

  it('ends the pull with an error that names image and layer', async () => {
    const built = await image(['a']);
    const { source } = ofImage(built);
    const [layer] = built.layers;
    const blob: ImageSource['blob'] = (one, consume) =>
      one.digest === layer?.digest ? readVerified(one, stuck(layer.bytes), consume, refuse) : source.blob(one, consume);
    const pull = puller({ ...source, blob, standstillMs: 20 }).pull(() => ['']);
    await expect(settles(pull, 'the pull')).rejects.toMatchObject({
      failure: 'Unreachable',
      reference: 'r.test/a:v1',
      message: `layer ${layer?.digest} made no progress: nothing was read or unpacked for 0.02 s. Check the registry and the disk`,
    });
  });
});

describe('a layer that may not be distributed', () => {
  it('is named if the registry does not have it', async () => {
    const built = await image(['a']);
    const { source } = ofImage({
      ...built,
      manifest: blob(
        MediaType.ociManifest,
        Buffer.from(
          Buffer.from(built.manifest.bytes)
            .toString()
            .replace(MediaType.ociLayerGzip, 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip'),
        ),
      ),
    });
    const missing: ImageSource['blob'] = (one, consume) =>
      one.digest === built.config.digest ? source.blob(one, consume) : Promise.reject(refuse('Incomplete', 'no blob'));
    await expect(puller({ ...source, blob: missing }).pull(() => [''])).rejects.toThrow(
      refusal('Incomplete', `layer ${built.layers[0]?.digest} is a foreign layer and missing in the registry`),
    );
    expect((await puller(source).pull(() => [''])).files).toHaveLength(1);
  });
});
