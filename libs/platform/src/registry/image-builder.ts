import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Digest } from '../content/content-store.port.js';
import { digestOf } from '../content/digest.js';
import { MediaType } from './client/media-types.js';

/** Bytes with their description in a manifest. */
export type BuiltBlob = Readonly<{ mediaType: string; digest: Digest; bytes: Uint8Array }>;

export type BuiltImage = Readonly<{ manifest: BuiltBlob; config: BuiltBlob; layers: readonly BuiltBlob[] }>;

export type ImageContent = Readonly<{
  /** Paths relative to the image root. */
  files: readonly BundleFile[];
  labels: Readonly<Record<string, string>>;
}>;

const EPOCH = new Date(0);

/** An image of one layer. The same files and labels give the same bytes, on any machine, at any time. */
export async function buildImage({ files, labels }: ImageContent): Promise<BuiltImage> {
  const tar = await packTar(tarEntries(files));
  const layer = blob(MediaType.ociLayerGzip, withoutOrigin(gzipSync(tar, { level: 9 })));
  return assembleImage([{ layer, diffId: digestOf(tar) }], labels);
}

/** Config and manifest over finished layers; `diffId` is the digest of the layer's tar, unpacked. */
export function assembleImage(
  layers: readonly Readonly<{ layer: BuiltBlob; diffId: Digest }>[],
  labels: ImageContent['labels'],
): BuiltImage {
  const config = blob(
    MediaType.ociConfig,
    json({
      architecture: 'amd64',
      os: 'linux',
      config: { Labels: labels },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
      history: [{ created: EPOCH.toISOString(), created_by: 'flotilla' }],
    }),
  );
  const manifest = blob(
    MediaType.ociManifest,
    json({
      schemaVersion: 2,
      mediaType: MediaType.ociManifest,
      config: descriptorOf(config),
      layers: layers.map(({ layer }) => descriptorOf(layer)),
    }),
  );
  return { manifest, config, layers: layers.map(({ layer }) => layer) };
}

export const descriptorOf = ({ mediaType, digest, bytes }: BuiltBlob) => ({ mediaType, digest, size: bytes.length });

export const blob = (mediaType: string, bytes: Uint8Array): BuiltBlob => ({
  mediaType,
  digest: digestOf(bytes),
  bytes,
});

const json = (value: unknown): Uint8Array => Buffer.from(canonicalJson(value));

/** gzip's header names the system that packed it in byte 9: 255 means "unknown". */
function withoutOrigin(gzipped: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(gzipped);
  bytes[9] = 255;
  return bytes;
}

function tarEntries(files: readonly BundleFile[]): TarEntry[] {
  const sorted = files.toSorted((a, b) => byCodeUnit(a.path, b.path));
  const directories = new Set(sorted.flatMap(({ path }) => ancestors(path)));
  const owner = { mtime: EPOCH, uid: 0, gid: 0 };
  const entries: TarEntry[] = [
    ...[...directories].map((path) => ({
      header: { name: `${path}/`, type: 'directory', size: 0, mode: 0o755, ...owner } as const,
    })),
    ...sorted.map(({ path, bytes }) => ({
      header: { name: path, type: 'file', size: bytes.length, mode: 0o644, ...owner } as const,
      body: bytes,
    })),
  ];
  return entries.toSorted((a, b) => byCodeUnit(a.header.name, b.header.name));
}

const ancestors = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'));
