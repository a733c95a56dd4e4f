import { imageRegistry } from '../../catalog/validate/image-reference.js';
import { referenceOf } from '../../classic/install-plan/creation/bundle-reference.js';
import { CRD_KIND, CSV_KIND } from '../../classic/install-plan/steps/install-plan-step.js';
import { manifestOf } from '../../classic/install-plan/steps/step-manifest.js';
import { CHANGES, type ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { SchemaTooDeep } from '../../v1/crd-upgrade/schema.js';
import { validateCrdUpgrade, violationText } from '../../v1/crd-upgrade/validate-crd-upgrade.js';
import { imagesOfOperator } from './csv-differences.js';
import { type ReviewedStep, reviewPlan } from './review-plan.js';

/** Kinds of step that grant permissions. */
const GRANTING: ReadonlySet<string> = new Set([CSV_KIND, 'Role', 'ClusterRole']);

/**
 * Returns the kinds of change that only the content of a plan shows, compared with the cluster: permissions
 * that grow, CRDs that change or break, images of another registry. The first install of a subject grows
 * nothing. Unavailable content counts with all changes that it may contain. No unread content therefore
 * passes an approval rule.
 */
export function contentChanges(steps: readonly ReviewedStep[], isInstall: boolean): ChangeKind[] {
  const found = new Set<ChangeKind>();
  for (const one of steps) for (const kind of definitionChanges(one)) found.add(kind);
  if (!isInstall) {
    const isUnread = steps.some((one) => GRANTING.has(one.step.resource.kind) && contentOf(one) === undefined);
    const grows = () =>
      reviewPlan(steps).differences.some(({ section, sign }) => section === 'permissions' && sign === '+');
    if (isUnread || grows()) found.add('RBACGrowth');
    if (steps.some(bringsRegistry)) found.add('NewRegistry');
  }
  return CHANGES.filter((kind) => found.has(kind));
}

/**
 * Returns the parts of a CRD that would break its users, as texts (OLM v1's upgrade safety checks, spec:
 * v1-crd-safety.md).
 */
export function breakingChanges({ live, ...reviewed }: ReviewedStep): string[] {
  const next = contentOf({ live, ...reviewed });
  if (live === undefined || next === undefined) return [];
  try {
    return validateCrdUpgrade(live as KubernetesObject, next).map(violationText);
  } catch (error) {
    if (error instanceof SchemaTooDeep) return [error.message];
    throw error;
  }
}

function definitionChanges(one: ReviewedStep): readonly ChangeKind[] {
  if (one.step.resource.kind !== CRD_KIND) return [];
  if (contentOf(one) === undefined) return ['CRDChange', 'CRDBreaking'];
  if (breakingChanges(one).length > 0) return ['CRDChange', 'CRDBreaking'];
  const isChanged = reviewPlan([one]).differences.some(({ section, sign }) => section === 'crds' && sign === '~');
  return isChanged ? ['CRDChange'] : [];
}

/** True if images of an operator come from a registry that it does not use yet. */
function bringsRegistry(one: ReviewedStep): boolean {
  const before = one.replaced ?? one.live;
  if (one.step.resource.kind !== CSV_KIND || before === undefined) return false;
  const known = registriesOf(before);
  return [...registriesOf(contentOf(one))].some((registry) => !known.has(registry));
}

const registriesOf = (csv: unknown): ReadonlySet<string> =>
  new Set([...imagesOfOperator(csv)].filter((image) => image !== '').map(imageRegistry));

/** Returns the content of a step. Returns undefined if the plan only refers to it, or holds it corrupted. */
function contentOf({ step }: ReviewedStep): KubernetesObject | undefined {
  if (referenceOf(step) !== undefined) return undefined;
  const manifest = manifestOf(step);
  return 'fail' in manifest ? undefined : manifest.object;
}
