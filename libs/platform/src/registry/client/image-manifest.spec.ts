import { describe, expect, it } from 'vitest';
import { chooseManifest, type ImageIndex, labelsOf, parseManifest, type Refuse } from './image-manifest.js';
import { RegistryError } from './registry-client.port.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);
const refusal = (failure: string, says: string) =>
  expect.objectContaining({ failure, message: expect.stringContaining(says) });

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const DOCKER_INDEX = 'application/vnd.docker.distribution.manifest.list.v2+json';
const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

const digest = (letter: string) => `sha256:${letter.repeat(64)}` as const;
const descriptor = (letter: string, more: object = {}) => ({
  mediaType: OCI_MANIFEST,
  digest: digest(letter),
  size: 7,
  ...more,
});
const manifest = (more: object = {}) => ({
  schemaVersion: 2,
  config: descriptor('c'),
  layers: [descriptor('1')],
  ...more,
});
const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const parse = (value: unknown, contentType: string) => parseManifest({ bytes: bytesOf(value), contentType }, refuse);

describe('parseManifest', () => {
  it.each([
    { because: 'an OCI manifest', document: manifest({ mediaType: OCI_MANIFEST }), type: OCI_MANIFEST, is: 'manifest' },
    { because: "Docker's manifest", document: manifest(), type: DOCKER_MANIFEST, is: 'manifest' },
    { because: 'an OCI index', document: { manifests: [descriptor('a')] }, type: OCI_INDEX, is: 'index' },
    { because: "Docker's list", document: { manifests: [descriptor('a')] }, type: DOCKER_INDEX, is: 'index' },
    {
      because: 'the media type of the document counts before the Content-Type',
      document: manifest({ mediaType: OCI_MANIFEST }),
      type: 'text/plain',
      is: 'manifest',
    },
    {
      because: 'a manifest that is sent as text',
      document: manifest(),
      type: 'text/plain',
      is: 'manifest',
    },
    {
      because: 'an index that is sent as any JSON',
      document: { schemaVersion: 2, manifests: [descriptor('a')] },
      type: 'application/json',
      is: 'index',
    },
    {
      because: 'an empty media type is none',
      document: manifest({ mediaType: '' }),
      type: OCI_MANIFEST,
      is: 'manifest',
    },
    { because: 'an image without layers', document: manifest({ layers: [] }), type: OCI_MANIFEST, is: 'manifest' },
    {
      because: 'null layers, as Go writes none',
      document: manifest({ layers: null }),
      type: OCI_MANIFEST,
      is: 'manifest',
    },
    { because: 'no list of layers', document: manifest({ layers: undefined }), type: OCI_MANIFEST, is: 'manifest' },
    { because: 'a null media type', document: manifest({ mediaType: null }), type: OCI_MANIFEST, is: 'manifest' },
    {
      because: 'an index whose list is null',
      document: { mediaType: null, manifests: null },
      type: OCI_INDEX,
      is: 'index',
    },
    {
      because: 'an index whose entries have members that are null or left out',
      document: {
        manifests: [
          null,
          {},
          { mediaType: null, digest: null, platform: { os: null } },
          descriptor('a', { platform: {} }),
          descriptor('b', { platform: { architecture: 'amd64', variant: null, 'os.version': null } }),
          { mediaType: 'application/x', digest: `sha512:${'a'.repeat(128)}` },
        ],
      },
      type: OCI_INDEX,
      is: 'index',
    },
    { because: 'fields that are not known', document: manifest({ x: 1 }), type: OCI_MANIFEST, is: 'manifest' },
    {
      because: 'an empty blob',
      document: manifest({ config: descriptor('c', { size: 0 }) }),
      type: OCI_MANIFEST,
      is: 'manifest',
    },
    {
      because: 'an index of as many manifests as are read',
      document: { manifests: Array.from({ length: 1000 }, () => descriptor('a')) },
      type: OCI_INDEX,
      is: 'index',
    },
  ])('reads $because', ({ document, type, is }) => {
    expect(Object.keys(parse(document, type))).toEqual([is]);
  });

  it('gives the layers in the order of the manifest', () => {
    const layers = [descriptor('3'), descriptor('1'), descriptor('2')];
    expect(parse(manifest({ layers }), OCI_MANIFEST)).toMatchObject({ manifest: { layers } });
  });

  it.each([
    {
      because: 'an artifact of another kind',
      document: manifest({ mediaType: 'application/vnd.example+json' }),
      failure: 'Unsupported',
      says: 'media type "application/vnd.example+json" is not supported: push an OCI or Docker schema 2 image',
    },
    {
      because: 'the first schema of Docker',
      document: { schemaVersion: 1 },
      type: 'application/vnd.docker.distribution.manifest.v1+prettyjws',
      failure: 'Unsupported',
      says: 'is not supported',
    },
    {
      because: 'JSON that is no image',
      document: { schemaVersion: 2, name: 'gear' },
      type: 'application/json',
      failure: 'Unsupported',
      says: 'media type "application/json" is not supported',
    },
    {
      because: 'a web page',
      document: '<html><body>Sign in</body></html>',
      type: 'text/html',
      failure: 'Malformed',
      says: 'expected JSON, got text/html beginning with "<html>',
    },
    { because: 'nothing', document: '', failure: 'Malformed', says: 'is this host an image registry?' },
    { because: 'a number', document: '7', failure: 'Malformed', says: 'the image manifest is not valid' },
    { because: 'null', document: 'null', failure: 'Malformed', says: 'the image manifest is not valid' },
    { because: 'no config', document: { layers: [] }, failure: 'Malformed', says: 'is not valid at config' },
    {
      because: 'a digest of another kind',
      document: manifest({ layers: [descriptor('1', { digest: `sha512:${'a'.repeat(128)}` })] }),
      failure: 'Malformed',
      says: 'is not valid at layers.0.digest: no sha256 digest',
    },
    {
      because: 'a digest in capitals',
      document: manifest({ config: descriptor('c', { digest: `sha256:${'A'.repeat(64)}` }) }),
      failure: 'Malformed',
      says: 'at config.digest',
    },
    {
      because: 'a path for a digest',
      document: manifest({ config: descriptor('c', { digest: 'sha256:../../etc/passwd' }) }),
      failure: 'Malformed',
      says: 'at config.digest',
    },
    {
      because: 'a size below 0',
      document: manifest({ layers: [descriptor('1', { size: -1 })] }),
      failure: 'Malformed',
      says: 'at layers.0.size',
    },
    {
      because: 'a size with a fraction',
      document: manifest({ layers: [descriptor('1', { size: 1.5 })] }),
      failure: 'Malformed',
      says: 'at layers.0.size',
    },
    {
      because: 'an index of more manifests than are read',
      document: { manifests: Array.from({ length: 1001 }, () => descriptor('a')) },
      type: OCI_INDEX,
      failure: 'Malformed',
      says: 'the image index is not valid at manifests',
    },
  ])('refuses $because', ({ document, type = OCI_MANIFEST, failure, says }) => {
    expect(() => parse(document, type)).toThrow(refusal(failure, says));
  });

  it('quotes only the beginning of what is no JSON', () => {
    const secret = 'this-comes-later';
    expect(() => parse(`${'x'.repeat(60)}${secret}`, 'text/plain')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secret) }),
    );
  });
});

describe('labelsOf', () => {
  it.each([
    { because: 'labels', config: { config: { Labels: { a: '1', b: '' } } }, labels: { a: '1', b: '' } },
    { because: 'a null label, as Go reads it', config: { config: { Labels: { a: null } } }, labels: { a: '' } },
    { because: 'null labels, as Docker writes them', config: { config: { Labels: null } }, labels: {} },
    { because: 'a config without labels', config: { config: { Env: [] } }, labels: {} },
    { because: 'null for the config of the container', config: { config: null }, labels: {} },
    { because: 'nothing', config: {}, labels: {} },
  ])('of $because', ({ config, labels }) => {
    expect(labelsOf(bytesOf(config), refuse)).toEqual(labels);
  });

  it.each([
    { config: { config: { Labels: { a: 1 } } }, says: 'the image config is not valid at config.Labels.a' },
    { config: { config: { Labels: ['a=1'] } }, says: 'at config.Labels' },
    { config: { config: 'x' }, says: 'at config' },
    { config: [], says: 'the image config is not valid' },
    { config: 'garbage', says: 'expected JSON, got image config beginning with "garbage"' },
  ])('refuses: $says', ({ config, says }) => {
    expect(() => labelsOf(bytesOf(config), refuse)).toThrow(refusal('Malformed', says));
  });
});

describe('chooseManifest', () => {
  const of = (letter: string, platform?: string): NonNullable<ImageIndex['manifests'][number]> => {
    const [os = '', architecture = '', variant] = platform?.split('/') ?? [];
    const named = { os, architecture, ...(variant === undefined ? {} : { variant }) };
    return { ...descriptor(letter), ...(platform === undefined ? {} : { platform: named }) };
  };
  it.each([
    {
      because: 'linux on this architecture, wherever it stands',
      manifests: [of('a', 'linux/amd64'), of('b', 'windows/arm64'), of('c', 'linux/arm64')],
      chosen: 'c',
    },
    {
      because: 'linux/amd64 where this architecture is missing',
      manifests: [of('a', 'linux/s390x'), of('b', 'linux/amd64')],
      chosen: 'b',
    },
    { because: 'else the first', manifests: [of('a', 'linux/s390x'), of('b', 'windows/amd64')], chosen: 'a' },
    { because: 'one without a platform', manifests: [of('a')], chosen: 'a' },
    {
      because: 'never what says something about an image, as buildkit adds it',
      manifests: [of('a', 'unknown/unknown'), of('b', 'linux/s390x')],
      chosen: 'b',
    },
    {
      because: 'never an artifact, as cosign and helm add them',
      manifests: [
        { ...of('a'), artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json' },
        { ...of('b'), mediaType: 'application/vnd.cncf.helm.config.v1+json' },
        of('c'),
      ],
      chosen: 'c',
    },
    {
      because: 'an image beside entries that nobody could pull',
      manifests: [null, { ...of('a', 'unknown/unknown'), digest: 'sha512:1' }, of('b')],
      chosen: 'b',
    },
    { because: 'an image with a null platform', manifests: [{ ...of('a'), platform: null }], chosen: 'a' },
    {
      because: 'the first of two for the same platform',
      manifests: [of('a', 'linux/arm64/v8'), of('b', 'linux/arm64/v9')],
      chosen: 'a',
    },
  ])('takes $because', ({ manifests, chosen }) => {
    expect(chooseManifest({ manifests }, 'arm64', refuse).digest).toBe(digest(chosen));
  });

  it('refuses the digest of the image itself, if it is none', () => {
    const index = { manifests: [{ ...of('a'), digest: `sha512:${'a'.repeat(128)}` }] };
    expect(() => chooseManifest(index, 'amd64', refuse)).toThrow(
      refusal('Malformed', 'the image index is not valid at digest: no sha256 digest'),
    );
  });

  it.each([{ manifests: [] }, { manifests: [null] }, { manifests: [of('a', 'unknown/unknown')] }])(
    'refuses an index without images',
    (index) => {
      expect(() => chooseManifest(index, 'amd64', refuse)).toThrow(
        refusal('Malformed', 'the image index lists no image'),
      );
    },
  );
});
