import { configFor } from '../../../catalog/bundle/subscription-config.js';
import type { Action } from '../../../kernel/actions/action.js';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace } from '../../../kernel/api/csv-facts.js';
import { canonicalJson } from '../../../kernel/canonical/canonical-json.js';
import { sha224Base62 } from '../../../kernel/hashes/digest.js';
import { withClusterProxy } from '../world/cluster-proxy.js';
import type { CsvWorld } from '../world/csv-world.js';
import { podAnnotationsOf, REFUSED_INSTALL_ANNOTATION } from '../world/hub-annotations.js';

/**
 * Hashes the inputs of a refused install that users can correct: the CSV, its annotations, and the `config`
 * of its Subscription. Certificates are left out: they may be made again for each try.
 */
export function installHash(
  csv: ClusterServiceVersion,
  { subscriptions, clusterProxy }: Pick<CsvWorld, 'subscriptions' | 'clusterProxy'>,
): string {
  const { install, webhookdefinitions, apiservicedefinitions } = csv.spec;
  const config = withClusterProxy(configFor(csvName(csv), subscriptions), clusterProxy);
  const annotations = podAnnotationsOf(csv);
  return sha224Base62(canonicalJson({ install, webhookdefinitions, apiservicedefinitions, annotations, config }));
}

/** Returns the hash of the install that was refused last. Undefined if the CSV does not record it. */
const refusedInstall = ({ metadata }: ClusterServiceVersion): string | undefined =>
  metadata.annotations?.[REFUSED_INSTALL_ANNOTATION];

/** True if the install that was refused last differs from the one that is due. */
export function isCorrected(csv: ClusterServiceVersion, world: CsvWorld): boolean {
  const refused = refusedInstall(csv);
  return refused !== undefined && refused !== installHash(csv, world);
}

/**
 * Sets the annotation, or removes it if `hash` is undefined. Returns no action if the CSV has the value
 * already.
 */
export function rememberInstall(csv: ClusterServiceVersion, hash: string | undefined): readonly Action[] {
  if (refusedInstall(csv) === hash) return [];
  const ref = { ...CSV_API, name: csvName(csv), namespace: csvNamespace(csv) };
  const annotations = { [REFUSED_INSTALL_ANNOTATION]: hash ?? null };
  return [{ do: 'patch', ref, patch: { metadata: { annotations } } }];
}
