import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { convertsByWebhook, crdGroup, crdKind, crdVersions } from '../../kernel/crd/crd-versions.js';
import { counted } from '../../kernel/text/counted.js';
import { fieldErrorText } from './schema-errors.js';
import {
  lostStoredVersions,
  optInTo,
  planMigration,
  STORED_VERSION_REFUSED,
  type StoredVersionMigration,
} from './stored-versions.js';
import { schemaViolations } from './validate-custom-resource.js';

/** A CRD, and the version from a bundle that will replace it. */
type CrdUpgrade = Readonly<{
  current: KubernetesObject;
  next: KubernetesObject;
  /** The custom resources as each version shows them: per version of {@link versionsToList}. */
  instances: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** Other installed operators that came with this CRD, as `<namespace>/<csv>`. */
  otherOwners: readonly string[];
  /** True if the group asked for stored objects to be rewritten before a stored version is removed. */
  migrate: boolean;
}>;

/**
 * Verdict on a CRD upgrade. `refusal` fails the plan, and `advice` names the solution. `warnings` become
 * events, and the CRD is updated all the same. `migration` must be done first, and then the CRD is checked
 * again.
 */
type CrdVerdict = Readonly<{
  refusal?: string;
  advice?: string;
  warnings: readonly string[];
  migration?: StoredVersionMigration;
}>;

const served = (crd: KubernetesObject): string[] =>
  crdVersions(crd)
    .filter((version) => version.served)
    .map(({ name }) => name);

const servedInBoth = (current: KubernetesObject, next: KubernetesObject): string[] => {
  const later = new Set(served(next));
  return served(current).filter((version) => later.has(version));
};

/** Versions that are served now and that the next CRD no longer knows, not even unserved. */
const removedOutright = (current: KubernetesObject, next: KubernetesObject): string[] => {
  const later = new Set(crdVersions(next).map(({ name }) => name));
  return served(current).filter((version) => !later.has(version));
};

/**
 * Returns the versions to list: all their custom resources are needed before {@link checkCrdUpgrade} can
 * judge.
 */
export function versionsToList(current: KubernetesObject, next: KubernetesObject): string[] {
  const [removed] = removedOutright(current, next);
  const kept = servedInBoth(current, next);
  return removed === undefined || kept.length > 0 ? kept : [removed];
}

/** Returns OLM's text for an object it refuses. A cluster-scoped object has no slash. */
const namespacedName = ({ metadata }: KubernetesObject): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name ?? ''}` : (metadata.name ?? '');

function tooRestrictive({ current, next, instances }: CrdUpgrade): string | undefined {
  const versions = new Map(crdVersions(next).map((version) => [version.name, version]));
  for (const name of servedInBoth(current, next)) {
    const schema = versions.get(name)?.schema;
    if (schema === undefined) continue;
    const gvk = `${crdGroup(next)}/${name}, Kind=${crdKind(next)}`;
    for (const object of instances.get(name) ?? []) {
      const errors = schemaViolations(schema, object).map(fieldErrorText);
      if (errors.length === 0) continue;
      const text = errors.length === 1 ? errors[0] : `[${errors.slice(0, MAX_ERRORS).join(', ')}]`;
      return `error validating ${gvk} "${namespacedName(object)}": updated validation is too restrictive: ${text}`;
    }
  }
  return undefined;
}

// Field errors reported for one object: a status has room for a few, and the first ones show the problem.
const MAX_ERRORS = 20;

type Refusal = Readonly<{ refusal: string; advice?: string }>;

/**
 * Returns OLM's words alone, with advice in a separate field. If a user asked for a migration that is not
 * possible, the words end with the reason.
 */
function dataLoss({ current, next, migrate }: CrdUpgrade): Refusal | undefined {
  const name = next.metadata.name ?? '';
  if (crdVersions(next).length === 0) {
    const refusal = `checking CRD for potential data loss updating "${name}": could not find any versions in the new CRD`;
    return { refusal };
  }
  const [lost] = lostStoredVersions(current, next);
  const plan = planMigration(current, next);
  if (lost === undefined || plan === undefined || (migrate && 'migration' in plan)) return undefined;
  const risk = `risk of data loss updating "${name}": new CRD removes version ${lost} ${STORED_VERSION_REFUSED}`;
  const advice = 'wayOut' in plan ? plan.wayOut : optInTo(plan.migration);
  return migrate ? { refusal: `${risk}. ${advice}` } : { refusal: risk, advice };
}

function servedVersionRemoved({ current, next, instances, otherOwners }: CrdUpgrade): string | undefined {
  const [removed] = removedOutright(current, next);
  if (removed === undefined) return undefined;
  const used = Math.max(0, ...[...instances.values()].map((list) => list.length));
  const reasons = [
    ...(used > 0 ? [counted(used, 'existing object')] : []),
    ...(otherOwners.length > 0 ? [`other operators that came with it: ${otherOwners.join(', ')}`] : []),
  ];
  if (reasons.length === 0) return undefined;
  return (
    `new CRD "${next.metadata.name ?? ''}" removes version ${removed} that is still served and has ${reasons.join(' and ')}: ` +
    `first install a version of the operator that keeps ${removed} with served: false`
  );
}

/** Returns the prefix of all of OLM's messages about existing custom resources. */
export const existingCrsPrefix = (crd: string): string =>
  `error validating existing CRs against new CRD's schema for "${crd}": `;

/**
 * Checks a CRD replacement in OLM's order and words: existing objects against the new schemas, then stored
 * versions. A last check, which OLM does not have, is for served versions that would vanish. If a webhook
 * converts, an object that the new schema rejects only gives a warning. Spec: install-plans.md §7.
 */
export function checkCrdUpgrade(upgrade: CrdUpgrade): CrdVerdict {
  const restrictive = tooRestrictive(upgrade);
  const name = upgrade.next.metadata.name ?? '';
  const excused = restrictive !== undefined && isV1(upgrade.next) && convertsByWebhook(upgrade.next);
  const tooStrict = restrictive === undefined || excused ? undefined : existingCrsPrefix(name) + restrictive;
  const warnings = excused ? [trustedWebhook(name, restrictive)] : [];
  if (tooStrict !== undefined) return { refusal: tooStrict, warnings };
  const lost = dataLoss(upgrade);
  if (lost !== undefined) return { ...lost, warnings };
  const refusal = servedVersionRemoved(upgrade);
  if (refusal !== undefined) return { refusal, warnings };
  const plan = planMigration(upgrade.current, upgrade.next);
  return plan !== undefined && 'migration' in plan ? { warnings, migration: plan.migration } : { warnings };
}

/** Returns OLM's warning for objects that do not fit when it trusts the new CRD's webhook to convert them. */
const trustedWebhook = (crd: string, error: string): string =>
  `Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the new CRD.
The new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert existing CRs to a format that would have passed validation.

CRD: "${crd}"
Validation Error: ${error}
`;

const isV1 = ({ apiVersion }: KubernetesObject): boolean => apiVersion === KIND.CustomResourceDefinition.apiVersion;
