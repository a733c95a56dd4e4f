import { objectFaults } from '../../../catalog/bundle/object-faults.js';
import { OLD_CRD_API } from '../../../catalog/bundle/validate-bundle.js';
import type { InstallPlan, InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { LONGEST_VERDICT, verdictLine } from '../../../kernel/verdict/verdict-line.js';
import { BUNDLE_SECRET_KIND, CRD_KIND, CSV_KIND, isDone } from '../steps/install-plan-step.js';
import { manifestOf } from '../steps/step-manifest.js';
import type { StepOutcome } from '../steps/step-world.js';
import { type ServedKind, unservedText } from './aged-kinds.js';
import { INVALID_PLAN, SUPPORTED_STEP_KINDS } from './decide-step.js';

const NOTHING_APPLIED = '. Nothing was applied';

/**
 * Returns the outcomes of steps that no plan may hold, in any cluster: kinds that cannot be installed, CRDs
 * of OLM's and Flotilla's own APIs, and objects that no API server takes. OLM finds them only at the step
 * itself, after it has created the CSV and more. Flotilla checks first, so it applies nothing of the plan.
 * The plan fails at once: waiting does not change its content. `unserved`: those of {@link agedKinds} that
 * the cluster does not serve. Spec: install-plans.md §5 and "Surprises".
 */
export function refuseUnsupported(
  { status }: InstallPlan,
  unserved: readonly ServedKind[] = [],
): ReadonlyMap<number, StepOutcome> {
  const outcomes = new Map<number, StepOutcome>();
  for (const [index, step] of (status?.plan ?? []).entries()) {
    const refusal = step === null || isDone(step) ? undefined : (refusalOf(step) ?? unservedText(step, unserved));
    if (refusal === undefined) continue;
    const error = `${refusal}${NOTHING_APPLIED}`;
    outcomes.set(index, { status: 'UnsupportedResource', error, patienceMs: 0 });
  }
  return outcomes;
}

/** Returns the CRDs of a bundle that no cluster of today serves: its plan fails in most of them. */
export const oldCrds = (objects: readonly KubernetesObject[]): readonly KubernetesObject[] =>
  objects.filter(({ apiVersion, kind }) => kind === CRD_KIND && apiVersion === OLD_CRD_API);

/** Returns the reason to refuse every plan with this bundle; undefined if its objects give none. */
export function bundleRefusal(bundle: string, objects: readonly KubernetesObject[]): string | undefined {
  for (const object of objects) {
    const refusal = objectRefusal(bundle, object);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function refusalOf(step: InstallPlanStep): string | undefined {
  const { kind, name } = step.resource;
  if (!SUPPORTED_STEP_KINDS.includes(kind)) return kindRefusal(step.resolving, kind, name);
  const manifest = manifestOf(step);
  return 'fail' in manifest ? undefined : faultOf(step.resolving, manifest.object);
}

const objectRefusal = (bundle: string, object: KubernetesObject): string | undefined =>
  SUPPORTED_STEP_KINDS.includes(object.kind) || object.kind === BUNDLE_SECRET_KIND
    ? faultOf(bundle, object)
    : kindRefusal(bundle, object.kind, object.metadata.name ?? '');

const kindRefusal = (bundle: string, kind: string, name: string): string =>
  `${INVALID_PLAN}: bundle ${bundle} brings ${kind} "${name}", and objects of this kind cannot be installed by a plan`;

function faultOf(bundle: string, object: KubernetesObject): string | undefined {
  const [fault] = objectFaults(object);
  if (fault === undefined) return undefined;
  const most = LONGEST_VERDICT - NOTHING_APPLIED.length;
  const { kind, metadata } = object;
  const name = kind === CSV_KIND ? '' : (metadata.name ?? '');
  const isNamed = fault.startsWith(`${kind} `);
  return verdictLine([`bundle ${bundle}`, isNamed ? '' : `${kind} ${name}`.trim()], fault, most);
}
