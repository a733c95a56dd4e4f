import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** PEM texts of a client certificate and of the authority that signed it. */
export type ClientCertificate = Readonly<{ caPem: string; certPem: string; keyPem: string }>;

/**
 * Makes a fresh authority and a certificate of it for the user `name`. `until`: the last moment of the
 * certificate's validity; a day from now without it.
 */
export async function clientCertificate(name: string, until?: Date): Promise<ClientCertificate> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [caKeys, keys] = [await newKeys(), await newKeys()];
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=client-ca',
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: '02',
    subject: `CN=${name}`,
    issuer: authority.subject,
    ...validity,
    ...(until === undefined ? {} : { notAfter: until }),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = pkcs8.match(/.{1,64}/g)?.join('\n') ?? '';
  return {
    caPem: authority.toString('pem'),
    certPem: certificate.toString('pem'),
    keyPem: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  };
}
