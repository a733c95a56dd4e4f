import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** PEM texts of a serving certificate for loopback and of the authority that signed it. */
export type LoopbackCertificate = Readonly<{ caPem: string; certPem: string; keyPem: string }>;

/** A certificate of the same authority, for the same key, that is not valid any more. */
export type WithExpired = LoopbackCertificate & Readonly<{ expiredPem: string }>;

const expired = () => ({ notBefore: new Date(Date.now() - 2 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) });
const validity = () => ({ notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) });
const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/**
 * Makes a certificate authority and a serving certificate for 127.0.0.1, localhost and `names`, both fresh.
 */
export async function servingCertificate(names: readonly string[] = []): Promise<WithExpired> {
  const [caKeys, keys] = [await newKeys(), await newKeys()];
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=simulated-fleet-ca',
    ...validity(),
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const content = {
    serialNumber: '02',
    subject: 'CN=simulated-fleet',
    issuer: ca.subject,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        ...names.map((value) => ({ type: 'dns', value }) as const),
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  };
  const [certificate, old] = await Promise.all(
    [validity(), expired()].map((time) => x509.X509CertificateGenerator.create({ ...content, ...time })),
  );
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = pkcs8.match(/.{1,64}/g)?.join('\n') ?? '';
  return {
    caPem: ca.toString('pem'),
    certPem: certificate?.toString('pem') ?? '',
    expiredPem: old?.toString('pem') ?? '',
    keyPem: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
