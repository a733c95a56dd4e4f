import { CSV_CLEANUP_FINALIZER } from '../../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import type { OperatorGroup } from '../../../kernel/api/operator-group.js';
import type { Subscription } from '../../../kernel/api/subscription.js';
import { isGlobal, memberAnnotations, targetsOf } from '../../operator-group/group-facts.js';
import { componentLabel } from '../../operators/component-label.js';
import { ownerLabels } from './csv-owner.js';
import { CSV_KIND } from './install-plan-step.js';

/**
 * Marks that the objects of a plan have from their creation on. OLM adds each afterwards, with a separate
 * write; the objects end the same (decision 0163).
 */
export type StartMarks = Readonly<{
  /** Annotations of the members of the namespace's one group. */
  csvAnnotations: Readonly<Record<string, string>>;
  /** Component labels, by the CSV that a Subscription moves to. */
  labels: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Kinds that get their component label later: their copies in other namespaces must not have it. */
  unlabelled: ReadonlySet<string>;
}>;

const COPIED_KINDS: ReadonlySet<string> = new Set(['Role', 'RoleBinding']);
/** Kinds of a plan's steps that an Operator gathers (spec: csv-lifecycle.md §12). */
const GATHERED_KINDS: ReadonlySet<string> = new Set([
  ...COPIED_KINDS,
  ...['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding'],
]);

/** The marks in a namespace with these Subscriptions and groups. */
export function startMarks(subscriptions: readonly Subscription[], groups: readonly OperatorGroup[]): StartMarks {
  const labels = new Map<string, Record<string, string>>();
  for (const { metadata, spec, status } of subscriptions) {
    const csv = status?.currentCSV ?? '';
    const label = componentLabel(spec.name, metadata.namespace ?? '');
    if (csv !== '') labels.set(csv, { ...labels.get(csv), [label]: '' });
  }
  const [group, ...others] = groups;
  const only = others.length === 0 ? group : undefined;
  return {
    csvAnnotations: only === undefined ? {} : memberAnnotations(only),
    labels,
    unlabelled: only !== undefined && isOfItself(only) ? new Set<string>() : COPIED_KINDS,
  };
}

/** True if Roles of the group's members stay in their namespace. */
function isOfItself(group: OperatorGroup): boolean {
  const targets = targetsOf(group) ?? [];
  return !isGlobal(targets) && targets.every((target) => target === group.metadata.namespace);
}

/** Returns a new CSV as a member of its group, held by the finalizer for its clean-up. */
export function startedCsv(csv: KubernetesObject, marks: StartMarks | undefined): KubernetesObject {
  if (marks === undefined) return csv;
  const { metadata } = csv;
  const labels = { ...metadata.labels, ...marks.labels.get(metadata.name ?? '') };
  const annotations = { ...metadata.annotations, ...marks.csvAnnotations };
  const finalizers = [...new Set([...(metadata.finalizers ?? []), CSV_CLEANUP_FINALIZER])];
  return { ...csv, metadata: { ...metadata, labels, annotations, finalizers } };
}

/** Returns the component labels of objects that a step makes for its CSV. */
export const startedLabels = (
  { resolving }: Readonly<{ resolving: string }>,
  { startMarks: marks }: Readonly<{ startMarks?: StartMarks }>,
): Readonly<Record<string, string>> => marks?.labels.get(resolving) ?? {};

/** Returns an object of the CSV `resolving` with the component label if the Operator will gather it. */
export function startedPart(
  object: KubernetesObject,
  { resolving, namespace }: Readonly<{ resolving: string; namespace: string }>,
  marks: StartMarks | undefined,
): KubernetesObject {
  const labels = marks?.labels.get(resolving);
  if (labels === undefined || !GATHERED_KINDS.has(object.kind) || marks?.unlabelled.has(object.kind)) return object;
  if (!belongsTo(object, resolving, namespace)) return object;
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

function belongsTo({ metadata }: KubernetesObject, csv: string, namespace: string): boolean {
  const isOwned = metadata.ownerReferences?.some(({ kind, name }) => kind === CSV_KIND && name === csv) ?? false;
  const labels = Object.entries(ownerLabels(csv, namespace));
  return isOwned || labels.every(([key, value]) => metadata.labels?.[key] === value);
}
