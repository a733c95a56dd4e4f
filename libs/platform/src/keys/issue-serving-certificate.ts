import { createHash, KeyObject, randomBytes, webcrypto } from 'node:crypto';
import { CERTIFICATE_DAYS, type ServingCertificate } from '#core/classic/csv/certificates/serving-certificate';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1_000;
const SERIAL_BYTES = 8;

/**
 * A fresh authority and a certificate of it for the hosts, ECDSA P-256, good for 730 days
 * (spec: csv-lifecycle.md §7). The authority's key is forgotten: nothing else is ever signed with it.
 */
export async function issueServingCertificate(hosts: readonly string[], now: Date): Promise<ServingCertificate> {
  const x509 = await library();
  // Certificates count in whole seconds.
  const notBefore = new Date(Math.floor(now.getTime() / 1_000) * 1_000);
  const notAfter = new Date(notBefore.getTime() + CERTIFICATE_DAYS * DAY_MS);
  const [caKeys, keys] = await Promise.all([newKeys(), newKeys()]);
  const caSerial = newSerial();
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: caSerial,
    name: `CN=olm-selfsigned-${caSerial}`,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: `CN=${hosts[0] ?? ''}`,
    issuer: authority.subject,
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
      await x509.AuthorityKeyIdentifierExtension.create(caKeys.publicKey),
    ],
  });
  const caPem = `${authority.toString('pem')}\n`;
  return {
    caPem,
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: KeyObject.from(keys.privateKey).export({ type: 'sec1', format: 'pem' }).toString(),
    caHash: caHashOf(caPem),
    notBefore,
    notAfter,
    hosts,
  };
}

/** Two hundred modules that a hub without webhooks never needs, loaded with the first certificate. */
async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

export const caHashOf = (caPem: string): string => createHash('sha256').update(caPem).digest('hex');

const newKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/** Positive whatever comes: the highest bit of a serial number is its sign. */
function newSerial(): string {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
