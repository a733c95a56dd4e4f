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

/** Media types for the Accept header of manifest requests. */
export const acceptedManifests = [...MANIFESTS, ...INDEXES].join(', ');

const LAYERS: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.layer.v1.tar',
  MediaType.ociLayerGzip,
  'application/vnd.oci.image.layer.v1.tar+zstd',
  'application/vnd.docker.image.rootfs.diff.tar',
  'application/vnd.docker.image.rootfs.diff.tar.gzip',
  'application/vnd.docker.image.rootfs.diff.tar.zstd',
]);
/** Layers that a registry need not have, such as those of Windows. Their content is the same. */
const FOREIGN_LAYERS: ReadonlySet<string> = new Set([
  'application/vnd.oci.image.layer.nondistributable.v1.tar',
  'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
  'application/vnd.oci.image.layer.nondistributable.v1.tar+zstd',
  'application/vnd.docker.image.rootfs.foreign.diff.tar',
  'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip',
]);

export const isForeignLayer = (mediaType: string): boolean => FOREIGN_LAYERS.has(mediaType);
/** False for media types that no image has as a layer, such as the content of other artifacts. */
export const isLayer = (mediaType: string): boolean => LAYERS.has(mediaType) || isForeignLayer(mediaType);
