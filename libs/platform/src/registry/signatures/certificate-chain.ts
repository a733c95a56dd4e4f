import 'reflect-metadata';
import type { X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const CODE_SIGNING = '1.3.6.1.5.5.7.3.3';

/**
 * Returns why certificates of a signature do not lead to an authority; undefined if they do. The first one
 * must be for signing, each following one must have issued the one before it, and all must be valid now:
 * nothing proves when a signature was made.
 */
export function chainFault(
  chain: readonly [X509Certificate, ...X509Certificate[]],
  authorities: readonly X509Certificate[],
  now: Date,
): string | undefined {
  const [leaf] = chain;
  if (!isForSigning(leaf)) return 'its certificate is not for signing code';
  for (const [at, certificate] of chain.entries()) {
    if (!isValidAt(certificate, now)) return `its certificate ${nameOf(certificate)} is not valid now`;
    if (authorities.some((authority) => authority.fingerprint256 === certificate.fingerprint256)) return undefined;
    const next = chain[at + 1] ?? authorities.find((authority) => issued(authority, certificate, at));
    if (next === undefined || !issued(next, certificate, at)) break;
    if (chain[at + 1] === undefined) {
      return isValidAt(next, now) ? undefined : `its authority ${nameOf(next)} is not valid now`;
    }
  }
  return 'its certificate is of no accepted authority';
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  validFromDate <= now && now <= validToDate;

const nameOf = ({ subject }: X509Certificate): string => JSON.stringify(subject.replaceAll('\n', ', ').slice(0, 60));

/** `below`: how many certificates of authorities are between the issuer and the first one. */
function issued(issuer: X509Certificate, certificate: X509Certificate, below: number): boolean {
  const limit = new x509.X509Certificate(issuer.raw).getExtension(x509.BasicConstraintsExtension);
  if (!issuer.ca || (limit?.pathLength !== undefined && limit.pathLength < below)) return false;
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isForSigning(leaf: X509Certificate): boolean {
  const parsed = new x509.X509Certificate(leaf.raw);
  const usage = parsed.getExtension(x509.KeyUsagesExtension);
  if (usage !== null && (usage.usages & x509.KeyUsageFlags.digitalSignature) === 0) return false;
  const purposes = leaf.keyUsage;
  return purposes === undefined || purposes.length === 0 || purposes.includes(CODE_SIGNING);
}
