import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { isDue, rotateAt, type ServingCertificate } from '../certificates/serving-certificate.js';
import { type ServingService, servingServices } from '../certificates/serving-service.js';
import type { CsvWorld } from './csv-world.js';

/**
 * Returns the certificate for calls to a service from this step on: the one just made for it, otherwise the
 * one in its Secret.
 */
export const certificateFor = (world: CsvWorld, { secretName }: ServingService): ServingCertificate | undefined =>
  world.issuedCertificates.get(secretName) ?? world.servingCertificates.get(secretName);

/**
 * Returns the Services for which the shell must make a certificate before the operator is installed: there is
 * no readable one, or it is due. A good one is used again, even if everything else is reinstalled (spec:
 * csv-lifecycle.md §7).
 */
export const certificatesToIssue = (
  csv: ClusterServiceVersion,
  world: Pick<CsvWorld, 'now' | 'servingCertificates'>,
): readonly ServingService[] =>
  servingServices(csv).filter((service) => {
    const held = world.servingCertificates.get(service.secretName);
    return held === undefined || isDue(held, service, world.now);
  });

/**
 * True when a Secret with a certificate has gone or cannot be read (spec: csv-lifecycle.md §3, "calculated
 * deployment install is bad").
 */
export const certificatesUnreadable = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  servingServices(csv).some((service) => certificateFor(world, service) === undefined);

/** True if a certificate must be replaced, or was never made (spec: csv-lifecycle.md §3, "certs due"). */
export const certificatesDue = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  certificatesToIssue(csv, world).length > 0;

/** Certificate times for the CSV's status (spec: api-types.md §5). */
export type CertificateTimes = Readonly<{ lastUpdated?: Date; rotateAt: Date }>;

/**
 * Returns the time at which this step made the operator's certificates, if it made some, and the time the
 * first of them is due again.
 */
export function certificateTimes(csv: ClusterServiceVersion, world: CsvWorld): CertificateTimes | undefined {
  const held = servingServices(csv).flatMap((service) => certificateFor(world, service) ?? []);
  const [first] = held.map(rotateAt).toSorted((a, b) => a.getTime() - b.getTime());
  if (first === undefined) return undefined;
  return world.issuedCertificates.size === 0 ? { rotateAt: first } : { lastUpdated: world.now, rotateAt: first };
}
