import type { ServingService } from './serving-service.js';

/** Validity of certificates, in days. */
export const CERTIFICATE_DAYS = 730;
/** Time before its end at which a certificate is replaced. */
const ROTATE_BEFORE_MS = 24 * 60 * 60 * 1_000;

/**
 * The certificate for calls to an operator: PEM texts, and values read from them (spec: csv-lifecycle.md §7).
 */
export type ServingCertificate = Readonly<{
  caPem: string;
  certPem: string;
  keyPem: string;
  /** SHA-256 of `caPem`, lower-case hex: the value of the annotation `olmcahash`. */
  caHash: string;
  notBefore: Date;
  notAfter: Date;
  /** DNS names that the authority in `caPem` has signed; empty if it signed another certificate. */
  hosts: readonly string[];
}>;

/** Returns the time at which a certificate must be replaced. */
export const rotateAt = ({ notAfter }: ServingCertificate): Date => new Date(notAfter.getTime() - ROTATE_BEFORE_MS);

/** True for a certificate that is not, or soon not, good for the service any more. */
export function isDue(certificate: ServingCertificate, service: Pick<ServingService, 'hosts'>, now: Date): boolean {
  if (now < certificate.notBefore || now >= rotateAt(certificate)) return true;
  return !service.hosts.every((host) => certificate.hosts.includes(host));
}
