import { CATALOG_SOURCE_API, CatalogSource } from '../../../kernel/api/catalog-source.js';
import { CSV_API } from '../../../kernel/api/cluster-service-version.js';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { KIND } from '../../../kernel/api/kinds.js';
import type { ObjectRef, OwnerReference } from '../../../kernel/api/kubernetes-object.js';
import { crdReads } from '../crds/crd-reads.js';
import { crdRightReads } from '../crds/crd-rights.js';
import { BUNDLE_SECRET_KIND, CRD_KIND, CSV_KIND, isDone, SUBSCRIPTION_KIND } from '../steps/install-plan-step.js';
import { isClusterScoped, manifestOf } from '../steps/step-manifest.js';
import { listIn, readKey, type StepContext, type StepRead, type StepWorld } from '../steps/step-world.js';

/** Returns the reference of the object that a step makes. Undefined if the manifest cannot be read. */
export function targetOf(step: InstallPlanStep, { plan }: StepContext): ObjectRef | undefined {
  if (step.resource.kind === 'Secret') return secretRef(plan.namespace, step.resource.name);
  const parsed = manifestOf(step);
  if ('fail' in parsed) return undefined;
  const { apiVersion, kind, metadata } = parsed.object;
  const name = metadata.name ?? '';
  return isClusterScoped(kind) ? { apiVersion, kind, name } : { apiVersion, kind, name, namespace: plan.namespace };
}

const secretRef = (namespace: string, name: string): ObjectRef => ({
  ...KIND.Secret,
  name,
  namespace,
});

/** The pull secret that a step of kind `Secret` copies. */
export const sourceSecretOf = (step: InstallPlanStep, { operatorNamespace }: StepContext): ObjectRef =>
  secretRef(operatorNamespace, step.resource.name);

/** Reads the global catalogs: a step copies the pull secret that one of them names. */
const globalCatalogs = ({ operatorNamespace }: StepContext): StepRead => ({
  read: 'list',
  ...CATALOG_SOURCE_API,
  namespace: operatorNamespace,
});

/** True if a catalog of the operator's namespace lists the Secret in `spec.secrets`. */
export const isPullSecret = ({ resource }: InstallPlanStep, context: StepContext, world: StepWorld): boolean =>
  listIn(world, globalCatalogs(context)).some((source) =>
    CatalogSource.safeParse(source).data?.spec.secrets?.includes(resource.name),
  );

/** The Secret itself is read once it is known to be a pull secret. */
function pullSecretReads(step: InstallPlanStep, context: StepContext, world: StepWorld): StepRead[] {
  const catalogs = globalCatalogs(context);
  if (!isPullSecret(step, context, world)) return [catalogs];
  return [catalogs, { read: 'get', ref: sourceSecretOf(step, context) }];
}

/** A CSV of the plan's namespace. */
export const csvRefOf = (name: string, { plan }: StepContext): ObjectRef => ({
  ...CSV_API,
  name,
  namespace: plan.namespace,
});

/**
 * Objects of these kinds have the owners that their manifests name: one that a bundle ships itself has no
 * owner and outlives the CSV.
 */
const OWNED_BY_MANIFEST_ONLY: ReadonlySet<string> = new Set(['ServiceAccount', 'Role', 'RoleBinding']);

/**
 * Returns the names of the CSVs that own the step's object in its namespace, each once. They are the step's
 * own, and those that its manifest names, even in a plan that a user wrote. Their uids go into the
 * references.
 */
export function csvOwnersOf(step: InstallPlanStep, owners: readonly OwnerReference[]): readonly string[] {
  const named = owners.filter(({ kind }) => kind === CSV_KIND).map(({ name }) => name);
  const isOwned = step.resolving !== '' && !OWNED_BY_MANIFEST_ONLY.has(step.resource.kind);
  return [...new Set([...named, ...(isOwned ? [step.resolving] : [])])];
}

/**
 * Reads all CSVs of the plan's namespace, for cases when a CSV outside the plan's list could claim another's
 * CRD.
 */
export const csvListOf = ({ plan }: StepContext): StepRead => ({
  read: 'list',
  ...CSV_API,
  namespace: plan.namespace,
});

function wanted(step: InstallPlanStep, context: StepContext, world: StepWorld): readonly StepRead[] {
  const { kind } = step.resource;
  const target = targetOf(step, context);
  const self: StepRead[] = target === undefined || target.name === '' ? [] : [{ read: 'get', ref: target }];
  if (kind === CRD_KIND) return [...self, ...crdReads(step, world), ...crdRightReads(step, context, world)];
  if (kind === SUBSCRIPTION_KIND) return self;
  if (kind === 'Secret') return [...self, ...pullSecretReads(step, context, world)];
  if (kind === CSV_KIND) {
    return context.clusterServiceVersionNames.includes(step.resource.name) ? self : [...self, csvListOf(context)];
  }
  if (kind !== BUNDLE_SECRET_KIND && isClusterScoped(kind)) return self;
  const manifest = manifestOf(step);
  const owners = 'fail' in manifest ? [] : (manifest.object.metadata.ownerReferences ?? []);
  const csvs = csvOwnersOf(step, owners).map((name): StepRead => ({ read: 'get', ref: csvRefOf(name, context) }));
  return [...self, ...csvs];
}

/**
 * Returns the reads that {@link decideStep} still needs. Call it again with the answers until nothing is
 * left. A CRD needs three rounds: its live object names the CSVs it came with, and those decide if the
 * account's rights matter.
 */
export function readsForStep(step: InstallPlanStep, context: StepContext, world: StepWorld): readonly StepRead[] {
  if (isDone(step)) return [];
  return wanted(step, context, world).filter((read) => !world.answers.has(readKey(read)));
}
