import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import type { BesideFile, LayerShape } from '../bundles/bundle-draft.js';
import { utf8 } from '../bundles/bundle-draft.js';
import { layersOf } from './image-layers.js';
import { tarArchive } from './tar-archive.js';

type Document = Readonly<{ mediaType: string; bytes: Uint8Array; more?: object }>;

/** The content of a blob or document under its digest; damaged content has another digest. */
type Kept = Readonly<{ digest: string; bytes: Uint8Array }>;

/** An image: its blobs, and its manifests with the one that is named at the end. */
export type MadeImage = Readonly<{ blobs: readonly Kept[]; manifests: readonly Document[] }>;

const OCI = 'application/vnd.oci.image';
const DOCKER = 'application/vnd.docker';
const TYPES = {
  oci: { index: `${OCI}.index.v1+json`, manifest: `${OCI}.manifest.v1+json`, config: `${OCI}.config.v1+json` },
  docker: {
    index: `${DOCKER}.distribution.manifest.list.v2+json`,
    manifest: `${DOCKER}.distribution.manifest.v2+json`,
    config: `${DOCKER}.container.image.v1+json`,
  },
} as const;
const LAYERS = {
  oci: { none: `${OCI}.layer.v1.tar`, gzip: `${OCI}.layer.v1.tar+gzip`, zstd: `${OCI}.layer.v1.tar+zstd` },
  docker: {
    none: `${DOCKER}.image.rootfs.diff.tar`,
    gzip: `${DOCKER}.image.rootfs.diff.tar.gzip`,
    zstd: `${DOCKER}.image.rootfs.diff.tar.zstd`,
  },
} as const;
/** Layers that only their owner may distribute, and that registries have all the same. */
const FOREIGN = {
  oci: {
    none: `${OCI}.layer.nondistributable.v1.tar`,
    gzip: `${OCI}.layer.nondistributable.v1.tar+gzip`,
    zstd: `${OCI}.layer.nondistributable.v1.tar+zstd`,
  },
  docker: {
    none: `${DOCKER}.image.rootfs.foreign.diff.tar`,
    gzip: `${DOCKER}.image.rootfs.foreign.diff.tar.gzip`,
    zstd: `${DOCKER}.image.rootfs.diff.tar.zstd`,
  },
} as const;
const URLS = { urls: ['https://owner.example/layer.tar.gz'] };

const digest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const json = (value: unknown): Uint8Array => utf8(JSON.stringify(value));
const described = ({ mediaType, bytes, more }: Document) => ({
  mediaType,
  digest: digest(bytes),
  size: bytes.length,
  ...more,
});

const PACK = { none: (tar: Buffer) => tar, gzip: (tar: Buffer) => gzipSync(tar, { level: 1 }), zstd: zstdCompressSync };

/** An image of these files in this shape. The same input gives the same bytes. */
export function madeImage(
  files: readonly BesideFile[],
  labels: Readonly<Record<string, string>>,
  shape: LayerShape,
): MadeImage {
  const tars = layersOf(files, shape).map(tarArchive);
  const layers = tars.map((tar) => ({
    mediaType: (shape.foreign ? FOREIGN : LAYERS)[shape.manifests][shape.compression],
    bytes: Uint8Array.from(PACK[shape.compression](tar)),
    ...(shape.foreign && { more: URLS }),
  }));
  const config = imageConfig(labels, tars);
  const types = TYPES[shape.manifests];
  const manifest = manifestOf(types, { mediaType: types.config, bytes: config }, layers);
  const manifests = indexed(manifest, shape);
  const [configBlob, ...layerBlobs] = [config, ...layers.map(({ bytes }) => bytes)].map(kept);
  return {
    blobs: [...lost(configBlob, shape.damage === 'config lost'), ...layerBlobs.flatMap((one) => damaged(one, shape))],
    manifests: shape.damage === 'manifest lost' ? manifests.slice(1) : manifests,
  };
}

const kept = (bytes: Uint8Array): Kept => ({ digest: digest(bytes), bytes });
const lost = (one: Kept | undefined, isLost: boolean): Kept[] => (one === undefined || isLost ? [] : [one]);

/** A layer as the registry or layout has it in the end. */
function damaged(layer: Kept, { damage }: LayerShape): Kept[] {
  const { bytes } = layer;
  switch (damage) {
    case 'layer lost':
      return [];
    case 'layer cut short':
      return [{ ...layer, bytes: bytes.subarray(0, bytes.length - 7) }];
    case 'layer emptied':
      return [{ ...layer, bytes: new Uint8Array() }];
    case 'layer changed':
      return [{ ...layer, bytes: bytes.map((byte, at) => (at === bytes.length - 3 ? byte ^ 1 : byte)) }];
    default:
      return [layer];
  }
}

const imageConfig = (labels: Readonly<Record<string, string>>, tars: readonly Uint8Array[]): Uint8Array =>
  json({
    architecture: 'amd64',
    os: 'linux',
    config: { Labels: labels },
    rootfs: { type: 'layers', diff_ids: tars.map(digest) },
  });

type Types = (typeof TYPES)[keyof typeof TYPES];

const manifestOf = (types: Types, config: Document, layers: readonly Document[]): Document => ({
  mediaType: types.manifest,
  bytes: json({
    schemaVersion: 2,
    mediaType: types.manifest,
    config: described(config),
    layers: layers.map(described),
  }),
});

/** The manifest, and the indexes that lead to it. */
function indexed(manifest: Document, { index, manifests }: LayerShape): readonly Document[] {
  const types = TYPES[manifests];
  const indexOf = (more: object, ...of: readonly Document[]): Document => ({
    mediaType: types.index,
    bytes: json({ schemaVersion: 2, mediaType: types.index, manifests: of.map(described), ...more }),
  });
  const onAmd = { ...manifest, more: { platform: { os: 'linux', architecture: 'amd64' } } };
  switch (index) {
    case 'none':
      return [manifest];
    case 'platforms': {
      const onArm = { ...manifest, more: { platform: { os: 'linux', architecture: 'arm64', variant: 'v8' } } };
      return [manifest, indexOf({}, onArm, onAmd)];
    }
    case 'nested': {
      const inner = indexOf({}, onAmd);
      return [manifest, inner, indexOf({}, inner)];
    }
    case 'attested': {
      const attestation = manifestOf(types, { mediaType: types.config, bytes: ATTESTATION }, []);
      const more = {
        platform: { os: 'unknown', architecture: 'unknown' },
        annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
      };
      return [manifest, attestation, indexOf({}, onAmd, { ...attestation, more })];
    }
    case 'annotated':
      return [manifest, indexOf({ annotations: { 'org.opencontainers.image.created': '2026-01-01' } }, onAmd)];
  }
}

const ATTESTATION = json({ architecture: 'unknown', os: 'unknown', rootfs: { type: 'layers', diff_ids: [] } });

/** Puts the image into a registry under `repository:tag`. */
export function putImage(registry: InMemoryRegistry, reference: string, { blobs, manifests }: MadeImage): void {
  registry.putBlob(ATTESTATION);
  for (const { digest: name, bytes } of blobs) registry.putBlob(bytes, name);
  for (const { mediaType, bytes } of manifests) registry.putManifest(reference, mediaType, bytes);
}

/** Writes the image as an OCI layout, with the tag `v1`. */
export async function writeLayout(folder: string, { blobs, manifests }: MadeImage): Promise<void> {
  const store = join(folder, 'blobs', 'sha256');
  await mkdir(store, { recursive: true });
  const contents = [kept(ATTESTATION), ...blobs, ...manifests.map(({ bytes }) => kept(bytes))];
  for (const { digest: name, bytes } of contents) await writeFile(join(store, name.slice('sha256:'.length)), bytes);
  const named = manifests.at(-1);
  if (named === undefined) throw new Error('an image has a manifest');
  const entry = { ...described(named), annotations: { 'org.opencontainers.image.ref.name': 'v1' } };
  await writeFile(join(folder, 'index.json'), json({ schemaVersion: 2, manifests: [entry] }));
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}
