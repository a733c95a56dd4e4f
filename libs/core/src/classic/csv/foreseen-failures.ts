import { type ClusterServiceVersion, readCsv } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { installModesError } from './phases/install-modes.js';
import { minKubeVersionError } from './requirements/kube-version-requirement.js';
import { strategyError } from './requirements/requirements.js';
import { webhookError } from './serving/webhook-rules.js';

/**
 * Returns the failures that end the phases of a CSV in every cluster, or keep it in Pending (spec:
 * csv-lifecycle.md §2 to §4, §7).
 */
export function foreseenFailures(object: KubernetesObject): readonly string[] {
  const csv = readCsv(object);
  if (!csv.ok) return [];
  const strategy = strategyError(csv.value);
  return [...csvFaults(object), ...(strategy === undefined ? [] : [`install strategy invalid: ${strategy}`])];
}

/**
 * Returns {@link foreseenFailures} without the install strategy: the check of a bundle says more about that.
 */
export function csvFaults(object: KubernetesObject): readonly string[] {
  const csv = readCsv(object);
  return csv.ok ? CHECKS.map((check) => check(csv.value)).filter((text) => text !== undefined) : [];
}

const CHECKS: readonly ((csv: ClusterServiceVersion) => string | undefined)[] = [
  installModesError,
  webhookError,
  minKubeVersionError,
];
