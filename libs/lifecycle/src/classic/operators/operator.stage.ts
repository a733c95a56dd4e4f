import { adoptionLabels, partLabels } from '#core/classic/operators/adoption-labels';
import {
  componentLabelsOf,
  labelOfOperator,
  operatorName,
  operatorsLacking,
} from '#core/classic/operators/component-label';
import { untilSettled } from '#core/classic/operators/on-its-way';
import { namesParts, OPERATOR_API, operatorObject } from '#core/classic/operators/operator-object';
import type { Action } from '#core/kernel/actions/action';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied, ownedCrds } from '#core/kernel/api/csv-facts';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_CONDITION_API } from '#core/kernel/api/operator-condition';
import type { Subscription } from '#core/kernel/api/subscription';
import { type KindRef, KubeApiError } from '#platform/kube/client/kube-client.port';
import { perform } from '../../engine/perform.js';
import { AT_REST, joined, type StageOutcome, waitFor } from '../../engine/stage.js';
import type { NamespaceStageInput } from '../namespaces/stage.js';

const core = (kind: string): KindRef => ({ apiVersion: 'v1', kind });
const rbac = (kind: string): KindRef => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

/**
 * Kinds a CSV's parts are of: in its namespace, those that carry `olm.managed` alone, and
 * cluster-wide (csv-lifecycle.md §12).
 */
const ALL_OF_NAMESPACE = [
  core('ServiceAccount'),
  rbac('Role'),
  rbac('RoleBinding'),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  OPERATOR_CONDITION_API,
];
const MANAGED_OF_NAMESPACE = [core('Service'), core('Secret'), core('ConfigMap')];
/** What a copy of a CSV brings into its namespace. */
const COPIED = [rbac('Role'), rbac('RoleBinding')];
const OF_CLUSTER = [rbac('ClusterRole'), rbac('ClusterRoleBinding')];

const PLAIN = [
  ...ALL_OF_NAMESPACE,
  ...MANAGED_OF_NAMESPACE,
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' },
  CSV_API,
];
/** Every kind that an Operator gathers (csv-lifecycle.md §12). */
const COMPONENTS = { ofNamespace: PLAIN, ofCluster: [...OF_CLUSTER, CRD] };

/**
 * Marks the parts of each desired operator with its component label, and keeps the Operator
 * objects that gather them.
 */
export async function operatorStage(input: NamespaceStageInput): Promise<StageOutcome> {
  let outcome = AT_REST;
  const leftovers = await unwished(input);
  for (const subscription of input.read.subscriptions) outcome = joined(outcome, await adopt(input, subscription));
  for (const csv of orphans(input)) outcome = joined(outcome, await adoptParts(input, csv));
  for (const name of leftovers) outcome = joined(outcome, await gatherLeftovers(input, name));
  return outcome;
}

async function adopt(input: NamespaceStageInput, subscription: Subscription): Promise<StageOutcome> {
  const { read, reader } = input;
  const installed = subscription.status?.installedCSV ?? '';
  const csv = read.csvs.find((one) => one.metadata.name === installed && !isCopied(one));
  const parts = csv === undefined ? { candidates: [], crds: new Map() } : await partsIn(input, csv);
  const labels = adoptionLabels(subscription, { csv, plans: plansFor(input, subscription), ...parts });
  const labelled = await label(input, labels);
  if (labelled.moved) return labelled;
  const name = operatorName(subscription.spec.name, read.namespace);
  // An operator whose Subscription or CSV is gone has left parts behind that only their label identifies.
  if (csv === undefined && namesParts(await reader.get({ ...OPERATOR_API, name }))) return gatherLeftovers(input, name);
  return gather(input, name, [
    ...read.subscriptions,
    ...read.installPlans,
    ...read.csvs,
    ...parts.candidates,
    ...parts.crds.values(),
  ]);
}

/** Without the plans of other Subscriptions of the package: two must not remove each other's label. */
function plansFor({ read }: NamespaceStageInput, { metadata, spec }: Subscription) {
  const others = read.subscriptions.filter((one) => one.spec.name === spec.name && one.metadata.name !== metadata.name);
  const theirs = new Set(others.map(({ status }) => status?.installPlanRef?.name));
  return read.installPlans.filter((plan) => !theirs.has(plan.metadata.name));
}

/** CSVs that were adopted once, and that no Subscription names as installed now. */
function orphans({ read }: NamespaceStageInput): readonly ClusterServiceVersion[] {
  const installed = new Set(read.subscriptions.map(({ status }) => status?.installedCSV));
  return read.csvs.filter((csv) => !isCopied(csv) && !installed.has(csv.metadata.name));
}

async function adoptParts(input: NamespaceStageInput, csv: ClusterServiceVersion): Promise<StageOutcome> {
  const labels = componentLabelsOf(csv);
  if (labels.length === 0) return AT_REST;
  const parts = await partsIn(input, csv);
  return label(
    input,
    labels.flatMap((name) => partLabels(csv, name, parts)),
  );
}

/** A part that was deleted since it was read needs no label. */
async function label(input: NamespaceStageInput, labels: readonly Action[]): Promise<StageOutcome> {
  let outcome = AT_REST;
  for (const one of labels) {
    try {
      outcome = joined(outcome, await perform(input, [one]));
    } catch (error) {
      if (!KubeApiError.is(error, 'NotFound')) throw error;
    }
  }
  return outcome;
}

/** What may belong to a CSV, and the CRDs that it provides. */
async function partsIn(input: NamespaceStageInput, csv: ClusterServiceVersion) {
  const crds = new Map<string, KubernetesObject>();
  for (const { name } of ownedCrds(csv)) {
    const crd = await input.reader.get({ ...CRD, name });
    if (crd !== undefined) crds.set(name, { ...crd, ...CRD });
  }
  return { candidates: await candidatesIn(input), crds };
}

/**
 * Names of this namespace's Operators without a Subscription, of which parts may remain: those that exist,
 * and those that a labelled CSV lacks because the Subscription was deleted first.
 */
async function unwished({ read, reader }: NamespaceStageInput): Promise<readonly string[]> {
  const { namespace, subscriptions, csvs } = read;
  const desired = new Set(subscriptions.map(({ spec }) => operatorName(spec.name, namespace)));
  const existing = (await reader.list(OPERATOR_API)).map(({ metadata }) => metadata.name ?? '');
  const labelled = csvs.filter((csv) => !isCopied(csv)).flatMap(componentLabelsOf);
  const names = [...existing, ...operatorsLacking(labelled, [...existing, ...desired])];
  return names.filter((name) => name.endsWith(`.${namespace}`) && !desired.has(name));
}

async function gatherLeftovers(input: NamespaceStageInput, name: string): Promise<StageOutcome> {
  const { read, reader } = input;
  const labelSelector = labelOfOperator(name);
  const lists = await Promise.all([
    ...COMPONENTS.ofNamespace.map((kind) => reader.list(kind, { namespace: read.namespace, labelSelector })),
    ...COMPONENTS.ofCluster.map((kind) => reader.list(kind, { labelSelector })),
  ]);
  return gather(input, name, lists.flat());
}

async function gather(
  input: NamespaceStageInput,
  name: string,
  objects: readonly KubernetesObject[],
): Promise<StageOutcome> {
  const label = labelOfOperator(name);
  const known = objects.filter((one) => one.metadata.labels?.[label] !== undefined && isKept(one, input.read.csvs));
  const components = [...known, ...(await labelledElsewhere(input, label))];
  const live = await input.reader.get({ ...OPERATOR_API, name });
  const waitMs = live === undefined ? undefined : untilSettled(components, input.now);
  if (waitMs !== undefined) return waitFor('its ClusterServiceVersions to settle', waitMs);
  const gathered = await perform(input, operatorObject(name, components, live), live === undefined ? [] : [live]);
  // Nothing is decided on the status of an Operator: no further round is due for it.
  return live === undefined ? gathered : AT_REST;
}

/** Whether the object stays: one whose CSVs are all gone will be collected, and is named no more. */
function isKept({ metadata }: KubernetesObject, csvs: readonly ClusterServiceVersion[]): boolean {
  const owners = metadata.ownerReferences ?? [];
  const there = new Set(csvs.map((csv) => csv.metadata.uid));
  return owners.length === 0 || owners.some(({ kind, uid }) => kind !== CSV_API.kind || there.has(uid));
}

/** Rights that came with a copy of the CSV into another namespace. */
async function labelledElsewhere(
  { read, reader }: NamespaceStageInput,
  labelSelector: string,
): Promise<readonly KubernetesObject[]> {
  const lists = await Promise.all(COPIED.map((kind) => reader.list(kind, { labelSelector })));
  return lists.flat().filter(({ metadata }) => metadata.namespace !== read.namespace);
}

async function candidatesIn({ read, reader }: NamespaceStageInput): Promise<readonly KubernetesObject[]> {
  const { namespace } = read;
  const lists = await Promise.all([
    ...ALL_OF_NAMESPACE.map((kind) => reader.list(kind, { namespace })),
    ...MANAGED_OF_NAMESPACE.map((kind) => reader.list(kind, { namespace, labelSelector: 'olm.managed=true' })),
    ...OF_CLUSTER.map((kind) =>
      reader.list(kind, { labelSelector: `olm.owner.kind=${CSV_API.kind},olm.owner.namespace=${namespace}` }),
    ),
  ]);
  return lists.flat();
}
