import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PUBLIC_KEY, signatureFiles, signingKey } from '../../scripts/distribution/sign-files.js';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PEM = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const file = (name: string, text: string) => ({ name, content: new TextEncoder().encode(text) });

const STATEMENT = file('flotilla-1.0.0.intoto.json', '{"_type":"https://in-toto.io/Statement/v1"}');
const SUMS = file('SHA256SUMS', 'aa  a\n');
const FILES = [file('flotilla-1.0.0.tgz', 'package'), STATEMENT];

const signed = new Map(
  signatureFiles(signingKey(PEM), FILES, { statement: STATEMENT, sums: SUMS }).map(({ name, content }) => [
    name,
    Buffer.from(content).toString(),
  ]),
);
const publicKey = createPublicKey(signed.get(PUBLIC_KEY) ?? '');
const isSigned = (content: Uint8Array, signature: string) =>
  verify('sha256', content, publicKey, Buffer.from(signature, 'base64'));
const bundle = (name: string) => JSON.parse(signed.get(name) ?? '{}');

describe('the signatures of a release', () => {
  it('are a bundle for each file and for the checksums', () => {
    for (const { name, content } of [...FILES, SUMS]) {
      const { mediaType, verificationMaterial, messageSignature } = bundle(`${name}.sigstore.json`);
      expect(mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
      expect(isSigned(content, messageSignature.signature)).toBe(true);
      expect(messageSignature.messageDigest).toEqual({
        algorithm: 'SHA2_256',
        digest: createHash('sha256').update(content).digest('base64'),
      });
      const der = publicKey.export({ type: 'spki', format: 'der' });
      expect(verificationMaterial.publicKey.hint).toBe(createHash('sha256').update(der).digest('base64'));
    }
  });

  it('are an attestation over the provenance', () => {
    const { dsseEnvelope } = bundle('flotilla-1.0.0.intoto.sigstore.json');
    expect(Buffer.from(dsseEnvelope.payload, 'base64')).toEqual(Buffer.from(STATEMENT.content));
    const { length } = STATEMENT.content;
    const head = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${length} `);
    expect(isSigned(Buffer.concat([head, STATEMENT.content]), dsseEnvelope.signatures[0].sig)).toBe(true);
  });

  it('are a bare signature over the checksums, for openssl and cosign 2', () => {
    expect(isSigned(SUMS.content, signed.get('SHA256SUMS.sig') ?? '')).toBe(true);
    expect(isSigned(FILES[0]?.content ?? new Uint8Array(), signed.get('SHA256SUMS.sig') ?? '')).toBe(false);
  });

  it('hold no private key', () => {
    expect([...signed.values()].join('\n')).not.toContain('PRIVATE KEY');
  });
});

describe('the key of a release', () => {
  it.each<[what: string, pem: () => string, because: RegExp]>([
    [
      'cosign’s own form',
      () => '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n',
      /is encrypted in cosign's own form/,
    ],
    ['a public key', () => publicKey.export({ type: 'spki', format: 'pem' }).toString(), /is not a private key in PEM/],
    ['no key', () => '', /is not a private key in PEM/],
    [
      'a password that is missing',
      () => privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
      /KEY_PASSWORD has its password/,
    ],
    [
      'another curve',
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      /must be ECDSA P-256, or RSA/,
    ],
  ])('is refused: %s', (_, pem, because) => expect(() => signingKey(pem())).toThrow(because));

  it('may have a password', () => {
    const options = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
    expect(signingKey(privateKey.export(options).toString(), 'x').type).toBe('private');
  });
});
