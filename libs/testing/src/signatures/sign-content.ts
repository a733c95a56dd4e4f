import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { digestOf } from '#platform/content/digest';
import type { InMemoryRegistry } from '../registry/in-memory-registry.js';

export type SigningKeys = Readonly<{ privateKey: KeyObject; publicKey: KeyObject; pem: string }>;

/** A pair of keys as `cosign generate-key-pair` makes it. */
export function signingKeys(): SigningKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { privateKey, publicKey, pem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}

const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const PAYLOAD_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json';
const STATEMENT_TYPE = 'application/vnd.in-toto+json';

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** Returns the payload that `cosign sign` signs for its tag. */
export const cosignPayload = (digest: string, type = 'cosign container image signature'): Buffer =>
  json({
    critical: { identity: { 'docker-reference': '' }, image: { 'docker-manifest-digest': digest }, type },
    optional: null,
  });

/** Returns the statement that `cosign sign` signs for a bundle. */
export const cosignStatement = (digest: string, predicateType = 'https://sigstore.dev/cosign/sign/v1'): Buffer =>
  json({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ digest: { sha256: digest.replace('sha256:', '') }, annotations: {} }],
    predicateType,
    predicate: {},
  });

/** The bytes that a DSSE envelope signs. */
export const envelopeBytes = (payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${STATEMENT_TYPE.length} ${STATEMENT_TYPE} ${payload.length} `), payload]);

export const envelopeOf = (payload: Buffer, signature: Buffer) => ({
  payload: payload.toString('base64'),
  payloadType: STATEMENT_TYPE,
  signatures: [{ sig: signature.toString('base64') }],
});

/** A bundle that a key signed. */
export function keyBundle(payload: Buffer, { privateKey }: SigningKeys): unknown {
  return {
    mediaType: BUNDLE_TYPE,
    verificationMaterial: { publicKey: { hint: 'x' } },
    dsseEnvelope: envelopeOf(payload, sign('sha256', envelopeBytes(payload), privateKey)),
  };
}

export type PayloadLayer = Readonly<{ payload: Buffer; annotations: Readonly<Record<string, string>> }>;

export const signedPayload = (payload: Buffer, { privateKey }: SigningKeys): PayloadLayer => ({
  payload,
  annotations: { 'dev.cosignproject.cosign/signature': sign('sha256', payload, privateKey).toString('base64') },
});

/** Puts payloads under cosign's own tag of a digest. */
export function putTagged(
  registry: InMemoryRegistry,
  repository: string,
  digest: string,
  layers: readonly PayloadLayer[],
): void {
  const described = layers.map(({ payload, annotations }) => ({
    ...{ mediaType: PAYLOAD_TYPE, digest: registry.putBlob(payload), size: payload.length, annotations },
  }));
  registry.putManifest(`${repository}:${digest.replace(':', '-')}.sig`, OCI_MANIFEST, manifestOf(registry, described));
}

/** Puts a signature that refers to a digest, and, for a registry without that API, the tag that lists it. */
export function putReferrer(
  registry: InMemoryRegistry,
  repository: string,
  digest: string,
  { type, content, layerType = type }: Readonly<{ type: string; content: Buffer; layerType?: string }>,
): void {
  const layer = { mediaType: layerType, digest: registry.putBlob(content), size: content.length };
  const subject = { mediaType: OCI_MANIFEST, digest, size: 1 };
  const manifest = manifestOf(registry, [layer], { artifactType: type, subject });
  const reference = `${repository}@${digestOf(manifest)}`;
  registry.putManifest(reference, OCI_MANIFEST, manifest);
  const described = { mediaType: OCI_MANIFEST, digest: digestOf(manifest), size: manifest.length, artifactType: type };
  const index = json({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [described] });
  registry.putManifest(`${repository}:${digest.replace(':', '-')}`, OCI_INDEX, index);
}

function manifestOf(registry: InMemoryRegistry, layers: readonly unknown[], more: object = {}): Buffer {
  const empty = Buffer.from('{}');
  const config = { mediaType: 'application/vnd.oci.empty.v1+json', digest: registry.putBlob(empty), size: 2 };
  return json({ schemaVersion: 2, mediaType: OCI_MANIFEST, config, layers, ...more });
}
