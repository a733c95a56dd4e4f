/** Media types of OCI and of Docker's schema 2; the two families mean the same. */
export const MediaType = {
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociConfig: 'application/vnd.oci.image.config.v1+json',
  ociLayerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

const INDEXES: readonly string[] = [MediaType.ociIndex, MediaType.dockerIndex];
const MANIFESTS: readonly string[] = [MediaType.ociManifest, MediaType.dockerManifest];

export const isIndex = (mediaType: string) => INDEXES.includes(mediaType);
export const isManifest = (mediaType: string) => MANIFESTS.includes(mediaType);

/** For the Accept header of manifest requests. */
export const acceptedManifests = [...MANIFESTS, ...INDEXES].join(', ');

export type Compression = 'none' | 'gzip' | 'zstd';

const LAYERS: ReadonlyMap<string, Compression> = new Map<string, Compression>([
  ['application/vnd.oci.image.layer.v1.tar', 'none'],
  [MediaType.ociLayerGzip, 'gzip'],
  ['application/vnd.oci.image.layer.v1.tar+zstd', 'zstd'],
  ['application/vnd.docker.image.rootfs.diff.tar', 'none'],
  ['application/vnd.docker.image.rootfs.diff.tar.gzip', 'gzip'],
  ['application/vnd.docker.image.rootfs.diff.tar.zstd', 'zstd'],
]);

/** How a layer is packed; undefined for what is no layer that can be read (foreign layers, artifacts). */
export const layerCompression = (mediaType: string): Compression | undefined => LAYERS.get(mediaType);
