import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { ServingCertificate } from '#core/classic/csv/certificates/serving-certificate';
import { CA_KEY } from '#core/classic/csv/certificates/serving-names';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { caHashOf } from './issue-serving-certificate.js';

const Data = z.looseObject({
  data: z.looseObject({ 'tls.crt': z.string(), 'tls.key': z.string(), [CA_KEY]: z.string() }),
});
const DNS_NAME = /^DNS:(.+)$/;

/**
 * Reads the certificate in a Secret, and its fields. Returns undefined if there is none that can be read.
 * Never logs the content.
 */
export function readServingCertificate(secret: KubernetesObject | undefined): ServingCertificate | undefined {
  const parsed = Data.safeParse(secret);
  if (!parsed.success) return undefined;
  const text = (key: string) => Buffer.from(String(parsed.data.data[key]), 'base64').toString();
  const [caPem, certPem, keyPem] = [text(CA_KEY), text('tls.crt'), text('tls.key')];
  try {
    const certificate = new X509Certificate(certPem);
    const authority = new X509Certificate(caPem);
    if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) return undefined;
    return {
      caPem,
      certPem,
      keyPem,
      caHash: caHashOf(caPem),
      notBefore: certificate.validFromDate,
      notAfter: certificate.validToDate,
      hosts: certificate.verify(authority.publicKey) ? dnsNames(certificate) : [],
    };
  } catch {
    return undefined; // not PEM, or not of a certificate: it is made anew
  }
}

const dnsNames = ({ subjectAltName }: X509Certificate): string[] =>
  (subjectAltName ?? '').split(', ').flatMap((name) => DNS_NAME.exec(name)?.[1] ?? []);
