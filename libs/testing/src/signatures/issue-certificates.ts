import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNED = { ...EC, hash: 'SHA-256' };
const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';
/** Extension of Fulcio that names the issuer of the identity. */
const ISSUER = '1.3.6.1.4.1.57264.1.8';
const DAY = 86_400_000;

export type IssuedCertificate = Readonly<{
  certificate: x509.X509Certificate;
  keys: webcrypto.CryptoKeyPair;
  privateKey: KeyObject;
  der: Buffer;
}>;

export type CertificateSpec = Readonly<{
  subject: string;
  /** Itself if absent. */
  by?: IssuedCertificate;
  isAuthority?: boolean;
  pathLength?: number;
  /** Purposes of a leaf; signing code by default. */
  purposes?: readonly string[];
  usages?: x509.KeyUsageFlags;
  /** Days from now. */
  from?: number;
  to?: number;
  /** An identity in the way of Fulcio. */
  identity?: Readonly<{ issuer: string; uri: string }>;
}>;

/** Issues a certificate with a new key. */
export async function issueCertificate(spec: CertificateSpec): Promise<IssuedCertificate> {
  const { subject, by, isAuthority = false, from = -1, to = 30 } = spec;
  const keys = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject,
      issuer: by?.certificate.subject ?? subject,
      serialNumber: '01',
      notBefore: new Date(Date.now() + from * DAY),
      notAfter: new Date(Date.now() + to * DAY),
      signingAlgorithm: SIGNED,
      publicKey: keys.publicKey,
      signingKey: (by?.keys ?? keys).privateKey,
      extensions: isAuthority ? authorityParts(spec) : leafParts(spec),
    },
    webcrypto as never,
  );
  const privateKey = KeyObject.from(keys.privateKey);
  return { certificate, keys, privateKey, der: Buffer.from(certificate.rawData) };
}

const authorityParts = ({ pathLength }: CertificateSpec) => [
  new x509.BasicConstraintsExtension(true, pathLength, true),
  new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
];

function leafParts({ purposes = [CODE_SIGNING], usages, identity }: CertificateSpec): x509.Extension[] {
  const parts: x509.Extension[] = [
    new x509.KeyUsagesExtension(usages ?? x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([...purposes]),
  ];
  if (identity === undefined) return parts;
  const text = Buffer.from(identity.issuer);
  return [
    ...parts,
    new x509.SubjectAlternativeNameExtension([{ type: 'url', value: identity.uri }], true),
    new x509.Extension(ISSUER, false, Buffer.concat([Buffer.from([0x0c, text.length]), text])),
  ];
}
