import { describe, expect, it } from 'vitest';
import { acceptedManifests, isForeignLayer, isIndex, isLayer, isManifest, MediaType } from './media-types.js';

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
    { type: 'application/vnd.oci.image.layer.v1.tar', layer: true, foreign: false },
    { type: 'application/vnd.oci.image.layer.v1.tar+gzip', layer: true, foreign: false },
    { type: 'application/vnd.oci.image.layer.v1.tar+zstd', layer: true, foreign: false },
    { type: 'application/vnd.docker.image.rootfs.diff.tar', layer: true, foreign: false },
    { type: 'application/vnd.docker.image.rootfs.diff.tar.gzip', layer: true, foreign: false },
    { type: 'application/vnd.docker.image.rootfs.diff.tar.zstd', layer: true, foreign: false },
    { type: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip', layer: true, foreign: true },
    { type: 'application/vnd.oci.image.layer.nondistributable.v1.tar', layer: true, foreign: true },
    { type: 'application/vnd.oci.image.layer.nondistributable.v1.tar+zstd', layer: true, foreign: true },
    { type: 'application/vnd.in-toto+json', layer: false, foreign: false },
    { type: 'toString', layer: false, foreign: false },
  ])('$type is a layer: $layer', ({ type, layer, foreign }) => {
    expect([isLayer(type), isForeignLayer(type)]).toEqual([layer, foreign]);
  });

  it('asks registries for every kind of manifest that is read', () => {
    const asked = acceptedManifests.split(', ');
    expect(asked.toSorted()).toEqual(
      [MediaType.ociIndex, MediaType.ociManifest, MediaType.dockerIndex, MediaType.dockerManifest].toSorted(),
    );
  });
});
