import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#platform/content/digest';
import type { Refuse } from '#platform/registry/client/image-manifest';
import { FilesTooLarge, RegistryError } from '#platform/registry/client/registry-client.port';
import { defaultRegistryLimits, type RegistryLimits } from '#platform/registry/client/registry-limits';
import { ImagePuller, type ImageSource, type PullGuard } from '#platform/registry/image/image-puller';
import { LayerThreads } from '#platform/registry/image/layers/layer-threads';
import { ReaderEnded } from '#platform/registry/image/layers/layers-reader.port';
import { layersInProcess } from '#platform/registry/image/layers/read-layers';
import { readVerified } from '#platform/registry/image/verified-blob';
import { assembleImage, type BuiltImage, blob } from '#platform/registry/image-builder';
import { PATIENCE } from '#testing/patience';
import { oddImage } from '#testing/registry/odd-image';

/** Threads run built files. */
const BUILT = '../../dist/libs/platform/src/registry/image/layers/read-layers.thread.js';
const THREAD = new URL(BUILT, import.meta.url);
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', `image r.test/a:v1: ${message}`);
const file = (name: string, body = name): TarEntry => ({ header: { name, type: 'file', size: body.length }, body });
const link = (name: string, linkname: string): TarEntry => ({ header: { name, type: 'symlink', size: 0, linkname } });

async function imageOf(...layers: TarEntry[][]): Promise<BuiltImage> {
  const built = await Promise.all(
    layers.map(async (entries) => {
      const tar = await packTar(entries);
      return { layer: blob(LAYER, gzipSync(tar)), diffId: digestOf(tar) };
    }),
  );
  return assembleImage(built, {});
}

type Blobs = Readonly<{ documents: readonly BuiltBlobs[]; blobs: readonly BuiltBlobs[] }>;
type BuiltBlobs = BuiltImage['manifest'];

/** `changed`: bytes that the registry sends in place of those of the first layer. */
function sourceOf({ documents, blobs }: Blobs, changed?: Uint8Array): ImageSource {
  const found = (one = documents.at(-1)) => {
    if (one === undefined) throw new Error('the image has no such document');
    return { digest: one.digest, document: { bytes: one.bytes, contentType: one.mediaType } };
  };
  const bytesOf = (digest: string) =>
    (blobs[1]?.digest === digest ? changed : undefined) ?? blobs.find((one) => one.digest === digest)?.bytes;
  return {
    named: async () => found(),
    manifest: async (digest) => found(documents.find((one) => one.digest === digest)),
    blob: (one, consume) => readVerified(one, inChunks(bytesOf(one.digest) ?? new Uint8Array()), consume, refuse),
  };
}
const blobsOf = ({ manifest, config, layers }: BuiltImage): Blobs => ({
  documents: [manifest],
  blobs: [config, ...layers],
});

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

type Options = PullGuard & Readonly<{ limits?: Partial<RegistryLimits>; changed?: Uint8Array }>;

describe('layers read in threads', () => {
  let folder: string;
  let count = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-layer-threads-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const threads = new LayerThreads(THREAD, { idleMs: 1_000 });
  const puller = (blobs: Blobs, { limits, changed, ...guard }: Options = {}) =>
    new ImagePuller(sourceOf(blobs, changed), { ...defaultRegistryLimits, ...limits }, 'amd64', refuse, {
      reader: threads,
      ...guard,
    });
  const texts = (files: readonly Readonly<{ path: string; bytes: Uint8Array }>[]) =>
    files.map(({ path, bytes }) => `${path}=${Buffer.from(bytes).toString('latin1')}`);
  /** Unpacks `a` of the image. Returns the files of the folder, and the error. */
  async function unpack(image: BuiltImage, options: Options = {}) {
    const parent = join(folder, `unpacked-${count++}`);
    const pulled = puller(blobsOf(image), options).pullTo(join(parent, 'image'), () => 'a');
    const error = await pulled.then(
      () => undefined,
      (problem: unknown) => problem,
    );
    return { parent, error, left: await readdir(parent).catch(() => []) };
  }
  const MANY = Array.from({ length: 40_000 }, (_, at) => file(`d${at % 7}/some-rather-long-name-of-a-file-${at}`, ''));

  it('give the files that the process itself gives, also of odd images, one after the other in one thread', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const image = oddImage(seed);
      const pulled = await puller(image).pull(() => ['manifests', 'metadata']);
      const own = await puller(image, { reader: layersInProcess }).pull(() => ['manifests', 'metadata']);
      expect(texts(pulled.files), `seed ${seed}`).toEqual(texts(own.files));
    }
    expect(threads.idle).toBe(1);
  });

  it('unpack into a directory, and count what they write', async () => {
    let bytes = 0;
    const image = await imageOf([file('a/x', 'text'), file('b', 'unwanted')], [link('a/l', 'x'), link('a/m', '../b')]);
    const { parent, error } = await unpack(image, { onDisk: (wrote) => (bytes += wrote) });
    expect(error).toBeUndefined();
    expect(await readFile(join(parent, 'image/m'), 'utf8')).toBe('unwanted');
    expect((await readdir(join(parent, 'image'))).sort()).toEqual(['l', 'm', 'x']);
    expect(bytes).toBe('text'.length + 'unwanted'.length);
  });

  it.each<[because: string, options: Options, says: string]>([
    ['a refusal', { limits: { fileBytes: 3 } }, 'image r.test/a:v1: file "a/x" has 4 bytes; the limit is 3'],
    ['other bytes than the digest says', { changed: gzipSync(Buffer.alloc(9_000, 'x')) }, 'push the image again'],
    ['an abort', { signal: AbortSignal.abort(new Error('not wanted')) }, 'not wanted'],
    [
      'a disk that has no room',
      {
        onDisk: () => {
          throw new Error('no room');
        },
      },
      'no room',
    ],
  ])('leave nothing behind after %s', async (_, options, says) => {
    const { error, left } = await unpack(await imageOf([file('a/x', 'text')]), options);
    expect(error).toMatchObject({ message: expect.stringContaining(says) });
    expect(left).toEqual([]);
  });

  it('say which files are too large as the process itself does', async () => {
    const image = blobsOf(await imageOf([file('a/x', 'text')]));
    const pull = puller(image, { limits: { wantedBytes: 3 } }).pull(() => ['a']);
    await expect(pull).rejects.toBeInstanceOf(FilesTooLarge);
  });

  it('end at the limit of their heap with the one image; other pulls and the process go on (R6)', async () => {
    const small = new LayerThreads(THREAD, { heapMiB: 12, idleMs: 50 });
    const good = blobsOf(await imageOf([file('a/x', 'text')]));
    const hostile = await imageOf([file('a/x', 'text')], MANY);
    const [{ error, left }, other] = await Promise.all([
      unpack(hostile, { reader: small }),
      puller(good, { reader: small }).pull(() => ['a']),
    ]);
    expect(error).toBeInstanceOf(ReaderEnded);
    expect(error).toMatchObject({
      failure: 'TooLarge',
      message:
        'image r.test/a:v1: unpacking its layers needs more than 12 MiB of memory: build it with fewer files and links',
    });
    expect(left).toEqual([]);
    expect(texts(other.files)).toEqual(['a/x=text']);
    expect(texts((await puller(good, { reader: small }).pull(() => ['a'])).files)).toEqual(['a/x=text']);
    await expect.poll(() => small.idle, PATIENCE).toBe(0);
  });

  it('that fail by themselves are reported as ended by the image', async () => {
    const crash =
      "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { throw new Error('a fault'); });";
    const reader = new LayerThreads(new URL(`data:text/javascript,${encodeURIComponent(crash)}`));
    const { error } = await unpack(await imageOf([file('a/x')]), { reader });
    expect(error).toMatchObject({ message: expect.stringContaining('ended its thread (a fault)') });
  });
});
