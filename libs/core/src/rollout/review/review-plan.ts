import { z } from 'zod';
import { referenceOf } from '../../classic/install-plan/creation/bundle-reference.js';
import { manifestOf } from '../../classic/install-plan/steps/step-manifest.js';
import { CSV_API, PolicyRule } from '../../kernel/api/cluster-service-version.js';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { changedFields } from './changed-fields.js';
import { csvDifferences, permissionsOf } from './csv-differences.js';
import { permissionDifferences } from './permission-differences.js';
import { difference, type PlanDifference } from './plan-difference.js';

/** A step of a plan, with the live state of the cluster. */
export type ReviewedStep = Readonly<{
  step: InstallPlanStep;
  /** The live object. Undefined if it does not exist. */
  live: unknown;
  /** The ClusterServiceVersion that this one replaces. */
  replaced?: unknown;
}>;

export type PlanReview = Readonly<{
  differences: readonly PlanDifference[];
  /** The number of unchanged objects. */
  unchanged: number;
}>;

const RBAC_KINDS: ReadonlySet<string> = new Set(['Role', 'ClusterRole']);
const SECRET: ReadonlySet<string> = new Set(['Secret']);
const SECTIONS = [
  'operators',
  'images',
  'crds',
  'permissions',
  'workloads',
  'objects',
] as const satisfies readonly PlanDifference['section'][];

/**
 * Returns the changes that a plan makes in the live cluster, in the order in which an approver reads them.
 * Remarkable changes come first in their section. A Secret is named, and its content is not shown.
 */
export function reviewPlan(steps: readonly ReviewedStep[]): PlanReview {
  const covered = new Set(steps.flatMap(rulesOfOperator));
  const reviewed = steps.map((step) => reviewStep(step, covered));
  const differences = reviewed.flat().toSorted(inOrder);
  return { differences, unchanged: reviewed.filter((found) => found.length === 0).length };
}

const inOrder = (a: PlanDifference, b: PlanDifference): number =>
  SECTIONS.indexOf(a.section) - SECTIONS.indexOf(b.section) ||
  Number(b.risk) - Number(a.risk) ||
  byCodeUnit(a.what, b.what) ||
  byCodeUnit(a.sign, b.sign) ||
  byCodeUnit(a.text, b.text);

/** Rules as text, equal for equal rules. */
const rulesText = (rules: readonly PolicyRule[] | undefined): string => canonicalJson(rules ?? []);

/** The Roles of an operator have names of its version; its permissions are compared with those before. */
function rulesOfOperator({ step }: ReviewedStep): readonly string[] {
  if (step.resource.kind !== CSV_API.kind || referenceOf(step) !== undefined) return [];
  const manifest = manifestOf(step);
  return 'fail' in manifest ? [] : permissionsOf(manifest.object).map(({ rules }) => rulesText(rules));
}

function reviewStep(reviewed: ReviewedStep, covered: ReadonlySet<string>): readonly PlanDifference[] {
  const { step, live } = reviewed;
  const { kind, name } = step.resource;
  const what = `${kind} ${name}`;
  const reference = referenceOf(step);
  if (reference !== undefined) return [difference('objects', '~', what, `its content is in ${reference.name}`)];
  const manifest = manifestOf(step);
  if ('fail' in manifest) return [difference('objects', '~', what, manifest.fail, { risk: true })];
  const wanted = manifest.object;
  if (kind === CSV_API.kind) return operatorDifferences(reviewed, wanted);
  if (kind === 'CustomResourceDefinition') return definitionDifferences(name, wanted, live);
  if (RBAC_KINDS.has(kind) && !covered.has(rulesText(rulesOf(wanted)))) {
    const rules = permissionDifferences(what, rulesOf(live), rulesOf(wanted));
    if (rules.length > 0) return rules;
  }
  return objectDifferences(what, wanted, live);
}

function objectDifferences(what: string, wanted: KubernetesObject, live: unknown): readonly PlanDifference[] {
  if (live === undefined) return [difference('objects', '+', what, 'is new')];
  if (SECRET.has(wanted.kind)) {
    return [difference('objects', '~', what, 'may change; the content of Secrets is not shown')];
  }
  const lines = changedFields(content(wanted), live);
  return lines.length === 0 ? [] : [difference('objects', '~', what, 'changes', { lines })];
}

function operatorDifferences(
  { step, live, replaced }: ReviewedStep,
  wanted: KubernetesObject,
): readonly PlanDifference[] {
  const { name } = step.resource;
  if (live !== undefined && changedFields(wanted['spec'], Object(live).spec).length === 0) return [];
  const from = Object(Object(replaced).metadata).name;
  const text = typeof from === 'string' ? `replaces ${from}` : live === undefined ? 'is new' : 'changes';
  return [
    difference('operators', live === undefined ? '+' : '~', name, text),
    ...csvDifferences(wanted, replaced ?? live),
  ];
}

const Definition = z.looseObject({
  spec: z.looseObject({
    versions: z.array(z.looseObject({ name: z.string(), served: z.boolean().catch(false) })).catch([]),
  }),
});
const servedBy = (value: unknown): readonly string[] =>
  (Definition.safeParse(value).data?.spec.versions ?? []).filter(({ served }) => served).map(({ name }) => name);

function definitionDifferences(name: string, wanted: KubernetesObject, live: unknown): readonly PlanDifference[] {
  const after = servedBy(wanted);
  if (live === undefined) return [difference('crds', '+', name, `is new, with ${after.join(', ')}`)];
  const before = servedBy(live);
  const gone = before.filter((version) => !after.includes(version));
  const come = after.filter((version) => !before.includes(version));
  const lines = changedFields(wanted['spec'], Object(live).spec);
  if (lines.length === 0) return [];
  const news = [
    ...(come.length === 0 ? [] : [`gets ${come.join(', ')}`]),
    ...(gone.length === 0 ? [] : [`no longer serves ${gone.join(', ')}`]),
  ];
  const text = news.length === 0 ? 'its schema changes' : news.join('; ');
  return [difference('crds', '~', name, text, { risk: gone.length > 0, lines })];
}

/**
 * Returns the planned content of an object. Owners are left out: they belong to the hub, and differ between
 * clusters.
 */
function content({ status: _status, metadata, ...rest }: KubernetesObject): object {
  const { labels, annotations } = metadata;
  return { ...rest, metadata: { labels, annotations } };
}
const rulesOf = (value: unknown): readonly PolicyRule[] =>
  z.array(PolicyRule).safeParse(Object(value).rules).data ?? [];
