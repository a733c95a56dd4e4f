import type { ClusterServiceVersion, RequirementStatus } from '../../../kernel/api/cluster-service-version.js';
import { clusterPermissions, permissions } from '../../../kernel/api/csv-facts.js';
import { ruleError } from '../../../kernel/rbac/authorize.js';
import type { CsvWorld } from '../world/csv-world.js';
import { apiRequirements } from './api-requirements.js';
import { crdRequirements } from './crd-requirements.js';
import { kubeVersionRequirement } from './kube-version-requirement.js';
import { permissionRequirements } from './permission-requirements.js';

/**
 * Requirements of a CSV before it can be installed, entry by entry. `met` is true if all of them are there.
 */
export type Requirements = Readonly<{ met: boolean; entries: readonly RequirementStatus[] }>;

const MET: ReadonlySet<string> = new Set(['Present', 'DeploymentFound']);

/**
 * Returns status.requirementStatus of a CSV in this world, in OLM's order and words (spec: csv-lifecycle.md
 * §4).
 */
export function requirementsOf(csv: ClusterServiceVersion, world: CsvWorld): Requirements {
  const entries = [
    ...kubeVersionRequirement(csv, world.serverVersion),
    ...crdRequirements(csv, world),
    ...apiRequirements(csv, world),
    ...permissionRequirements(csv, world),
  ];
  return { met: entries.every(({ status }) => MET.has(status)), entries };
}

/** Returns OLM's message for an unknown kind of install strategy, or undefined. */
export const unknownStrategy = (csv: ClusterServiceVersion): string | undefined =>
  csv.spec.install?.strategy === 'deployment' ? undefined : 'unrecognized install strategy';

/**
 * Returns the reason the install strategy can never work, or undefined (spec: csv-lifecycle.md §3, row
 * InvalidInstallStrategy).
 */
export function strategyError(csv: ClusterServiceVersion): string | undefined {
  const unknown = unknownStrategy(csv);
  if (unknown !== undefined) return unknown;
  for (const permission of [...permissions(csv), ...clusterPermissions(csv)]) {
    const broken = (permission.rules ?? []).map(ruleError).find((error) => error !== undefined);
    if (broken !== undefined) return broken;
  }
  return undefined;
}
