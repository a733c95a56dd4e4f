import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#platform/content/digest';
import { CATALOG_LABEL, pullCatalog, pullCatalogTo } from '#platform/registry/catalog-image';
import type { RegistryClient } from '#platform/registry/client/registry-client.port';
import type { RegistryLimits } from '#platform/registry/client/registry-limits';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { assembleImage, type BuiltImage, blob } from '#platform/registry/image-builder';
import { OciLayoutClient, writeLayout } from '#platform/registry/oci-layout';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';

const OCI = 'application/vnd.oci.image.layer.v1.tar';
const DOCKER = 'application/vnd.docker.image.rootfs.diff.tar';
type Pack = (tar: Uint8Array) => Uint8Array;
const plain: Pack = (tar) => tar;
const halves = (tar: Uint8Array) => [tar.subarray(0, 700), tar.subarray(700)];
/** Packs like `zstd:chunked` and `estargz`: in several parts, one after the other. */
const inFrames: Pack = (tar) => Buffer.concat(halves(tar).map((half) => zstdCompressSync(half)));
const inMembers: Pack = (tar) => Buffer.concat(halves(tar).map((half) => gzipSync(half)));

const file = (name: string, body = name): TarEntry => ({ header: { name, type: 'file', size: body.length }, body });
const folder = (name: string): TarEntry => ({ header: { name, type: 'directory', size: 0 } });
const symlink = (name: string, linkname: string): TarEntry => ({
  header: { name, type: 'symlink', size: 0, linkname },
});
const hardlink = (name: string, linkname: string): TarEntry => ({ header: { name, type: 'link', size: 0, linkname } });

const device = (name: string): TarEntry => ({ header: { name, type: 'character-device', size: 0 } });
const pipe = (name: string): TarEntry => ({ header: { name, type: 'fifo', size: 0 } });

const layerOf = async (entries: TarEntry[], mediaType = `${OCI}+gzip`, pack: Pack = gzipSync) => {
  const tar = await packTar(entries);
  return { layer: blob(mediaType, pack(tar)), diffId: digestOf(tar) };
};

let registry: InMemoryRegistry;
let directory: string;
let count = 0;
beforeAll(async () => {
  registry = await startRegistry();
  directory = await mkdtemp(join(tmpdir(), 'flotilla-layers-'));
});
afterAll(async () => {
  await registry.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

type Limits = Partial<RegistryLimits>;
type Held = Readonly<{ client: RegistryClient; reference: string }>;
const patience = { attempts: 2, retryDelayMs: 1 };

/** Sources of images. */
const sources = {
  'a registry': async (image: BuiltImage, limits: Limits): Promise<Held> => {
    const reference = `${registry.host}/acme/catalog:v1`;
    registry.put(reference, image);
    return { client: new HttpRegistryClient({ limits: { ...patience, ...limits } }), reference };
  },
  'an OCI layout': async (image: BuiltImage, limits: Limits): Promise<Held> => {
    const layout = join(directory, `layout-${count++}`);
    await writeLayout(layout, 'v1', image);
    return { client: new OciLayoutClient({ limits }), reference: `oci:${layout}:v1` };
  },
};

/** Targets of files. */
const targets = {
  'into memory': async ({ client, reference }: Held) => {
    const { files } = await pullCatalog(client, reference);
    return files.map(({ path, bytes }) => `${path}=${Buffer.from(bytes).toString('utf8')}`);
  },
  'into a directory': async ({ client, reference }: Held) => {
    const parent = join(directory, `unpacked-${count++}`);
    await mkdir(parent);
    const target = join(parent, 'target');
    try {
      const unpacked = await pullCatalogTo(client, reference, target);
      const found = await readdir(target, { recursive: true, withFileTypes: true });
      const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      const files = await Promise.all(
        paths.toSorted().map(async (path) => ({ path, text: await readFile(path, 'utf8') })),
      );
      expect(await readdir(parent)).toEqual(['target']);
      expect(found.filter((entry) => !entry.isFile() && !entry.isDirectory())).toEqual([]);
      expect(unpacked.files).toBe(files.length);
      expect(unpacked.bytes).toBe(files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0));
      return files.map(({ path, text }) => `${path.slice(target.length + 1)}=${text}`);
    } catch (error) {
      expect(await readdir(parent), 'what a failed pull leaves').toEqual([]);
      throw error;
    }
  },
};

const ways = Object.entries(sources).flatMap(([from, hold]) =>
  Object.entries(targets).map(([to, read]) => ({ way: `from ${from} ${to}`, hold, read })),
);

describe.each(ways)('$way', ({ hold, read }) => {
  /** Returns the pulled files below /configs, as `path=content`. */
  const pulled = async (layers: Awaited<ReturnType<typeof layerOf>>[], limits: Limits = {}) =>
    read(await hold(assembleImage(layers, { [CATALOG_LABEL]: '/configs' }), limits));

  describe('layers', () => {
    it.each([
      { mediaType: OCI, pack: plain },
      { mediaType: `${OCI}+gzip`, pack: gzipSync },
      { mediaType: `${OCI}+zstd`, pack: zstdCompressSync },
      { mediaType: `${OCI}+zstd`, pack: inFrames },
      { mediaType: `${OCI}+gzip`, pack: inMembers },
      { mediaType: DOCKER, pack: plain },
      { mediaType: `${DOCKER}.gzip`, pack: gzipSync },
      { mediaType: `${DOCKER}.zstd`, pack: zstdCompressSync },
      { mediaType: `${OCI}+zstd`, pack: gzipSync },
      { mediaType: `${OCI}+gzip`, pack: plain },
      { mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip', pack: gzipSync },
    ])('of type $mediaType are read', async ({ mediaType, pack }) => {
      expect(await pulled([await layerOf([file('configs/a.yaml', 'content')], mediaType, pack)])).toEqual([
        'a.yaml=content',
      ]);
    });

    it.each([
      {
        because: 'an upper layer replaces files',
        layers: [[file('configs/a', '1')], [file('configs/a', '2')]],
        files: ['a=2'],
      },
      {
        because: 'a whiteout removes a file of a lower layer',
        layers: [[file('configs/a'), file('configs/b')], [file('configs/.wh.a', '')]],
        files: ['b=configs/b'],
      },
      {
        because: 'a whiteout removes a directory of a lower layer',
        layers: [[file('configs/d/a'), file('configs/b')], [file('configs/.wh.d', '')]],
        files: ['b=configs/b'],
      },
      {
        because: 'an opaque directory hides lower layers, not its own, even when the marker comes last',
        layers: [[file('configs/d/a')], [file('configs/d/b', 'b'), file('configs/d/.wh..wh..opq', '')]],
        files: ['d/b=b'],
      },
      {
        because: 'a whiteout does not remove what its own layer brings',
        layers: [[file('configs/a', '1')], [file('configs/a', '2'), file('configs/.wh.a', '')]],
        files: ['a=2'],
      },
      {
        because: 'names may begin with ./ and end with /',
        layers: [[folder('./configs/'), file('./configs/a', '1')]],
        files: ['a=1'],
      },
      {
        because: 'a hard link inside the catalog is a second name of the file',
        layers: [[file('configs/a', '1'), hardlink('configs/b', 'configs/a')]],
        files: ['a=1', 'b=1'],
      },
      {
        because: 'a hard link to a file elsewhere in the image brings its content',
        layers: [[file('data/a', '1'), hardlink('configs/b', 'data/a')]],
        files: ['b=1'],
      },
      {
        because: 'links inside the image are followed, relative and absolute, through linked directories',
        layers: [
          [
            file('data/real/a', '1'),
            symlink('data/now', 'real'),
            symlink('configs/relative', '../data/now/a'),
            symlink('configs/absolute', '/data/real/a'),
          ],
        ],
        files: ['absolute=1', 'relative=1'],
      },
      {
        because: 'a directory of an upper layer takes the place of a link',
        layers: [[symlink('configs/d', '/etc'), file('configs/a', '1')], [file('configs/d/b', '2')]],
        files: ['a=1', 'd/b=2'],
      },
      {
        because: 'a file takes the place of a directory of a lower layer, and the other way round',
        layers: [
          [file('configs/a/b', '1'), file('configs/c', '2')],
          [file('configs/a', '3'), file('configs/c/d', '4')],
        ],
        files: ['a=3', 'c/d=4'],
      },
      {
        because: 'a name given twice in a layer is what it was last',
        layers: [[file('configs/a', '1'), file('configs/a', '2')]],
        files: ['a=2'],
      },
      {
        because: 'devices and pipes are passed over',
        layers: [[device('configs/null'), pipe('configs/pipe'), file('configs/a', '1')]],
        files: ['a=1'],
      },
      {
        because: 'names that mean something to JavaScript or to a shell are names',
        layers: [[file('configs/__proto__/constructor', '1'), file('configs/-rf *', '2')]],
        files: ['-rf *=2', '__proto__/constructor=1'],
      },
      {
        because: 'links out of the image that nobody reads are passed over',
        layers: [[symlink('etc/mtab', '../../../proc/mounts'), file('configs/a', '1')]],
        files: ['a=1'],
      },
    ])('$because', async ({ layers, files }) => {
      expect(await pulled(await Promise.all(layers.map((entries) => layerOf(entries))))).toEqual(files);
    });
  });

  it.each([
    { because: 'without its closing blocks', cut: 1024 },
    { because: 'without the filling of its last block, as umoci writes them', cut: 1024 + 511 },
  ])('a layer $because is read', async ({ cut }) => {
    const open = (tar: Uint8Array) => tar.subarray(0, -cut);
    expect(await pulled([await layerOf([file('configs/a', '1')], OCI, open)])).toEqual(['a=1']);
  });

  describe('bad layers are refused', () => {
    it.each([
      { because: 'a path with ..', entry: file('configs/../../etc/passwd'), names: 'configs/../../etc/passwd' },
      { because: 'a path that climbs out', entry: file('/../etc/passwd'), names: '/../etc/passwd' },
      { because: 'a link that climbs out', entry: symlink('configs/l', '../../etc/passwd'), names: 'configs/l' },
      { because: 'an absolute link to nothing', entry: symlink('configs/l', '/etc/passwd'), names: '/etc/passwd' },
      { because: 'a hard link with ..', entry: hardlink('configs/h', '../etc/passwd'), names: '../etc/passwd' },
      { because: 'a whiteout of ..', entry: file('configs/.wh...', ''), names: 'configs/.wh...' },
    ])('UnsafePath, naming the entry: $because', async ({ entry, names }) => {
      await expect(pulled([await layerOf([file('configs/a'), entry])])).rejects.toMatchObject({
        failure: 'UnsafePath',
        message: expect.stringContaining(names),
      });
    });

    it.each([
      { because: 'a relative link to nothing', entries: [symlink('configs/l', 'gone')], says: 'not in the image' },
      {
        because: 'a link to a directory',
        entries: [symlink('configs/l', 'd'), folder('configs/d')],
        says: 'directory',
      },
      {
        because: 'links in a circle',
        entries: [symlink('configs/a', 'b'), symlink('configs/b', 'a')],
        says: 'circles',
      },
      {
        because: 'an absolute hard link to nothing',
        entries: [hardlink('configs/h', '/gone')],
        says: 'not in the image',
      },
      { because: 'a hard link to nothing', entries: [hardlink('configs/h', 'gone')], says: 'not in the image' },
    ])('Malformed: $because', async ({ entries, says }) => {
      await expect(pulled([await layerOf(entries)])).rejects.toMatchObject({
        failure: 'Malformed',
        message: expect.stringContaining(says),
      });
    });

    it.each([
      {
        because: 'more bytes than allowed',
        limits: { unpackedBytes: 1_000_000 },
        entries: [file('big', 'x'.repeat(2_000_000))],
      },
      { because: 'one large file', limits: { fileBytes: 1000 }, entries: [file('configs/big', 'x'.repeat(2000))] },
      {
        because: 'large files together',
        limits: { wantedBytes: 1000 },
        entries: [file('configs/a', 'x'.repeat(600)), file('configs/b', 'x'.repeat(600))],
      },
      {
        because: 'many names of one large file',
        limits: { wantedBytes: 1000 },
        entries: [file('configs/a', 'x'.repeat(600)), hardlink('configs/b', 'configs/a')],
      },
      {
        because: 'many files',
        limits: { entries: 5 },
        entries: ['1', '2', '3', '4', '5', '6'].map((name) => file(name)),
      },
      { because: 'a layer larger than allowed', limits: { compressedBytes: 50 }, entries: [file('configs/a')] },
      { because: 'a path of many directories', limits: {}, entries: [file(`${'d/'.repeat(300)}a`)] },
    ])('TooLarge: $because', async ({ limits, entries }) => {
      await expect(pulled([await layerOf(entries)], limits)).rejects.toMatchObject({ failure: 'TooLarge' });
    });

    it('stops at a bomb without unpacking it: 1 GiB in 1 MiB', async () => {
      const mebibyte = Buffer.alloc(1024 * 1024);
      const header = (await packTar([{ header: { name: 'configs/a', type: 'file', size: 0 } }])).subarray(0, 512);
      const bomb = gzipSync(Buffer.concat([header, ...Array.from({ length: 64 }, () => mebibyte)]));
      const layer = {
        layer: blob(`${OCI}+gzip`, Buffer.concat(Array.from({ length: 16 }, () => bomb))),
        diffId: digestOf(bomb),
      };
      await expect(pulled([layer], { unpackedBytes: 10_000_000 })).rejects.toMatchObject({ failure: 'TooLarge' });
    });

    it('stops early at a few bytes that become many: a bound on expansion, not on size alone', async () => {
      const header = (await packTar([{ header: { name: 'configs/a', type: 'file', size: 0 } }])).subarray(0, 512);
      const zeros = zstdCompressSync(Buffer.alloc(16 * 1024 * 1024));
      const bomb = Buffer.concat([zstdCompressSync(header), ...Array.from({ length: 8 }, () => zeros)]);
      const layer = { layer: blob(`${OCI}+zstd`, bomb), diffId: digestOf(bomb) };
      await expect(pulled([layer], { expansion: 100 })).rejects.toMatchObject({
        failure: 'TooLarge',
        message: expect.stringContaining('grow to more than 100 times their size'),
      });
    });

    it.each([
      { because: 'not gzip at all', pack: () => Buffer.from('this is no gzip'), mediaType: `${OCI}+gzip` },
      {
        because: 'gzip that ends early',
        pack: (tar: Uint8Array) => gzipSync(tar).subarray(0, -20),
        mediaType: `${OCI}+gzip`,
      },
      {
        because: 'zstd that ends early',
        pack: (tar: Uint8Array) => zstdCompressSync(tar).subarray(0, -9),
        mediaType: `${OCI}+zstd`,
      },
      { because: 'a tar that ends early', pack: (tar: Uint8Array) => tar.subarray(0, 700), mediaType: OCI },
      {
        because: 'a tar cut one byte before the end of its last file, of 1000 bytes in two blocks',
        pack: (tar: Uint8Array) => tar.subarray(0, -1024 - 24 - 1),
        mediaType: OCI,
      },
      { because: 'no tar at all', pack: () => Buffer.from('x'.repeat(4096)), mediaType: OCI },
    ])('Malformed: $because', async ({ pack, mediaType }) => {
      const layer = await layerOf([file('configs/a', 'y'.repeat(1000))], mediaType, pack);
      await expect(pulled([layer])).rejects.toMatchObject({
        failure: 'Malformed',
        message: expect.stringContaining('cannot be unpacked'),
      });
    });

    it('Unsupported: a layer of another media type, named', async () => {
      const layer = await layerOf([file('configs/a')], 'application/vnd.cncf.helm.chart.content.v1.tar+gzip');
      await expect(pulled([layer])).rejects.toMatchObject({
        failure: 'Unsupported',
        message: expect.stringContaining('application/vnd.cncf.helm.chart.content.v1.tar+gzip'),
      });
    });
  });
});
