import type { ServingService } from './serving-service.js';

/** Days for which certificates are made. */
export const CERTIFICATE_DAYS = 730;
/** A certificate is replaced so long before it ends. */
const ROTATE_BEFORE_MS = 24 * 60 * 60 * 1_000;

/**
 * The certificate by which an operator is called, PEM texts and what is read out of them
 * (spec: csv-lifecycle.md §7).
 */
export type ServingCertificate = Readonly<{
  caPem: string;
  certPem: string;
  keyPem: string;
  /** SHA-256 of `caPem`, lower-case hex: what the annotation `olmcahash` says. */
  caHash: string;
  notBefore: Date;
  notAfter: Date;
  /** DNS names that the authority in `caPem` vouches for; empty when it signed something else. */
  hosts: readonly string[];
}>;

/** When a certificate is to be replaced. */
export const rotateAt = ({ notAfter }: ServingCertificate): Date => new Date(notAfter.getTime() - ROTATE_BEFORE_MS);

/** True for a certificate that is not, or soon not, good for the service any more. */
export function isDue(certificate: ServingCertificate, service: Pick<ServingService, 'hosts'>, now: Date): boolean {
  if (now < certificate.notBefore || now >= rotateAt(certificate)) return true;
  return !service.hosts.every((host) => certificate.hosts.includes(host));
}
