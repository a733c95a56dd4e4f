import { describe, expect, it } from 'vitest';
import { acceptedManifests, isIndex, isManifest, layerCompression, MediaType } from './media-types.js';

describe('media types', () => {
  it.each([
    { type: 'application/vnd.oci.image.index.v1+json', index: true, manifest: false },
    { type: 'application/vnd.docker.distribution.manifest.list.v2+json', index: true, manifest: false },
    { type: 'application/vnd.oci.image.manifest.v1+json', index: false, manifest: true },
    { type: 'application/vnd.docker.distribution.manifest.v2+json', index: false, manifest: true },
    { type: 'application/vnd.docker.distribution.manifest.v1+json', index: false, manifest: false },
    { type: 'application/vnd.oci.image.config.v1+json', index: false, manifest: false },
    { type: 'application/json', index: false, manifest: false },
    { type: '', index: false, manifest: false },
  ])('$type', ({ type, index, manifest }) => {
    expect([isIndex(type), isManifest(type)]).toEqual([index, manifest]);
  });

  it.each([
    { type: 'application/vnd.oci.image.layer.v1.tar', packed: 'none' },
    { type: 'application/vnd.oci.image.layer.v1.tar+gzip', packed: 'gzip' },
    { type: 'application/vnd.oci.image.layer.v1.tar+zstd', packed: 'zstd' },
    { type: 'application/vnd.docker.image.rootfs.diff.tar', packed: 'none' },
    { type: 'application/vnd.docker.image.rootfs.diff.tar.gzip', packed: 'gzip' },
    { type: 'application/vnd.docker.image.rootfs.diff.tar.zstd', packed: 'zstd' },
    { type: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', packed: undefined },
    { type: 'application/vnd.oci.image.layer.nondistributable.v1.tar', packed: undefined },
    { type: 'application/vnd.in-toto+json', packed: undefined },
    { type: 'toString', packed: undefined },
  ])('a layer of type $type is packed with $packed', ({ type, packed }) => {
    expect(layerCompression(type)).toBe(packed);
  });

  it('asks registries for every kind of manifest that is read', () => {
    const asked = acceptedManifests.split(', ');
    expect(asked.toSorted()).toEqual(
      [MediaType.ociIndex, MediaType.ociManifest, MediaType.dockerIndex, MediaType.dockerManifest].toSorted(),
    );
  });
});
