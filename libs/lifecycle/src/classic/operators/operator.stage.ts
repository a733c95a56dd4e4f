import { COPIED_FROM_LABEL } from '#core/classic/csv/copies/step-copies';
import { API_SERVICE } from '#core/classic/csv/serving/api-services';
import { adoptionLabels, partLabels } from '#core/classic/operators/adoption-labels';
import {
  componentLabelsOf,
  labelOfOperator,
  mayBeCut,
  namespaceOfOperator,
  operatorName,
  operatorOfLabel,
  operatorsLacking,
} from '#core/classic/operators/component-label';
import { untilSettled } from '#core/classic/operators/on-its-way';
import { namesParts, OPERATOR_API, operatorObject } from '#core/classic/operators/operator-object';
import type { Action } from '#core/kernel/actions/action';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { isCopied, ownedApiServices, ownedCrds } from '#core/kernel/api/csv-facts';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { MANAGED_SELECTOR } from '#core/kernel/api/owner-labels';
import type { Subscription } from '#core/kernel/api/subscription';
import { subdomainProblems } from '#core/kernel/labels/label-syntax';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { perform } from '../../engine/passes/perform.js';
import { eachInTurn } from '../../engine/passes/refusal.js';
import { AT_REST, joined, type StageOutcome, waitFor } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import {
  ALL_OF_NAMESPACE,
  COMPONENTS,
  COPIED,
  CRD,
  HELD_COMPONENTS,
  MANAGED_OF_NAMESPACE,
  NAMESPACE,
  OF_CLUSTER,
} from './component-kinds.js';

/**
 * Marks the parts of each desired operator with its component label, and keeps the Operator
 * objects that gather them.
 */
export async function operatorStage(input: NamespaceStageInput): Promise<StageOutcome> {
  const leftovers = [...(await unwished(input)), ...(await homeless(input))];
  const steps = [
    ...input.read.subscriptions.map((subscription) => () => adopt(input, subscription)),
    ...orphans(input).map((csv) => () => adoptParts(input, csv)),
    ...leftovers.map((name) => () => gatherAll(input, name)),
  ];
  return eachInTurn(steps, (step) => step());
}

async function adopt(input: NamespaceStageInput, subscription: Subscription): Promise<StageOutcome> {
  const { read, reader } = input;
  const installed = subscription.status?.installedCSV ?? '';
  const csv = read.csvs.find((one) => one.metadata.name === installed && !isCopied(one));
  const parts = csv === undefined ? { candidates: [], crds: new Map() } : await partsIn(input, csv);
  const labels = adoptionLabels(subscription, { csv, plans: plansFor(input, subscription), ...parts });
  const name = operatorName(subscription.spec.name, read.namespace);
  const noName = noOperator(subscription, name, labels);
  const labelled = await label(input, [...labels, ...noName.events]);
  if (labelled.moved || noName.forever) return labelled;
  // If its Subscription or CSV is gone, an operator has left parts behind that only their label identifies.
  if (csv === undefined && namesParts(await reader.get({ ...OPERATOR_API, name }))) return gatherAll(input, name);
  return gather(input, name, [
    ...read.subscriptions,
    ...read.installPlans,
    ...read.csvs,
    ...parts.candidates,
    ...parts.crds.values(),
    ...(await labelledElsewhere(input, labelOfOperator(name))),
  ]);
}

/**
 * A package may have a name that no object can have: then no Operator gathers its parts, and the Subscription
 * says so as it gets its label.
 */
function noOperator(subscription: Subscription, name: string, labels: readonly Action[]) {
  const problems = subdomainProblems(name);
  if (problems.length === 0) return { forever: false, events: [] };
  const { uid } = subscription.metadata;
  const about = { ...refOf(subscription), uid };
  const isNew = labels.some((one) => one.do === 'patch' && one.ref.kind === about.kind);
  const message = `no Operator gathers the parts of package ${subscription.spec.name}: "${name}" is not a name of an object: ${problems.join(', ')}`;
  const event: Action = { do: 'emitEvent', about, type: 'Warning', reason: 'InvalidOperatorName', message };
  return { forever: true, events: isNew ? [event] : [] };
}

/**
 * Returns the plans without those of other Subscriptions of the package: two must not remove each other's
 * label.
 */
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

/** Returns the objects that may belong to a CSV, and the CRDs that it provides. */
async function partsIn(input: NamespaceStageInput, csv: ClusterServiceVersion) {
  const crds = new Map<string, KubernetesObject>();
  for (const { name } of ownedCrds(csv)) {
    const crd = await input.reader.get({ ...CRD, name });
    if (crd !== undefined) crds.set(name, { ...crd, ...CRD });
  }
  const apiServices: KubernetesObject[] = [];
  for (const { group, version } of ownedApiServices(csv)) {
    const service = await input.reader.get({ ...API_SERVICE, name: `${version}.${group}` });
    if (service !== undefined) apiServices.push({ ...service, ...API_SERVICE });
  }
  return { candidates: [...(await candidatesIn(input)), ...apiServices], crds };
}

/**
 * Returns the names of this namespace's Operators without a Subscription that may have parts left. Some
 * exist; others are missing although a labelled CSV names them, because the Subscription was deleted first.
 */
async function unwished({ read, reader }: NamespaceStageInput): Promise<readonly string[]> {
  const { namespace, subscriptions, csvs } = read;
  const desired = new Set(subscriptions.map(({ spec }) => operatorName(spec.name, namespace)));
  const existing = (await reader.list(OPERATOR_API)).map(({ metadata }) => metadata.name ?? '');
  const labelled = csvs.filter((csv) => !isCopied(csv)).flatMap(componentLabelsOf);
  const names = [...existing, ...operatorsLacking(labelled, [...existing, ...desired])];
  return names.filter((name) => name.endsWith(`.${namespace}`) && !desired.has(name));
}

/**
 * Names of Operators that no other namespace keeps, as users make them: those that exist, and those that
 * labels ask for. They are kept with the global catalogs.
 */
async function homeless({ read, reader }: NamespaceStageInput): Promise<readonly string[]> {
  if (read.namespace !== read.globalCatalogNamespace) return [];
  const namespaces = new Set((await reader.listMetadata(NAMESPACE)).map(({ metadata }) => metadata.name ?? ''));
  const isHomeless = (name: string) => !namespaces.has(namespaceOfOperator(name) ?? '');
  const existing = (await reader.list(OPERATOR_API)).map(({ metadata }) => metadata.name ?? '');
  // Without a cache the lists of all kinds of a cluster would be asked for, at each pass.
  const held = reader.live ? [] : await Promise.all(HELD_COMPONENTS.map((kind) => reader.listMetadata(kind)));
  const labels = new Set<string>();
  for (const objects of held) {
    for (const one of objects) {
      if (!isCopyOfAnother(one)) for (const label of componentLabelsOf(one)) labels.add(label);
    }
  }
  const lacking = operatorsLacking(
    [...labels].filter((one) => !mayBeCut(one) && subdomainProblems(operatorOfLabel(one)).length === 0),
    existing,
  );
  return [...existing, ...lacking].filter(isHomeless);
}

const isCopyOfAnother = ({ metadata }: KubernetesObject): boolean => metadata.labels?.[COPIED_FROM_LABEL] !== undefined;

/** Gathers the parts of an Operator that is known by the label of its parts alone, in all namespaces. */
async function gatherAll(input: NamespaceStageInput, name: string): Promise<StageOutcome> {
  const labelSelector = labelOfOperator(name);
  const lists = await Promise.all(COMPONENTS.map((kind) => input.reader.list(kind, { labelSelector })));
  const there = lists.flat().filter((one) => one.kind !== CSV_API.kind || !isCopyOfAnother(one));
  return gather(input, name, there);
}

async function gather(
  input: NamespaceStageInput,
  name: string,
  objects: readonly KubernetesObject[],
): Promise<StageOutcome> {
  const label = labelOfOperator(name);
  const components = objects.filter((one) => one.metadata.labels?.[label] !== undefined && isKept(one, input.read));
  const live = await input.reader.get({ ...OPERATOR_API, name });
  const waitMs = live === undefined ? undefined : untilSettled(components, input.now);
  if (waitMs !== undefined) return waitFor('its ClusterServiceVersions to settle', waitMs);
  const gathered = await perform(input, operatorObject(name, components, live), live === undefined ? [] : [live]);
  // Nothing is decided on the status of an Operator: no further round is due for it.
  return live === undefined ? gathered : AT_REST;
}

/** True if the object stays. If all its CSVs are gone, it will be collected, and is named no more. */
function isKept({ metadata }: KubernetesObject, { namespace, csvs }: NamespaceStageInput['read']): boolean {
  const owners = metadata.namespace === namespace ? (metadata.ownerReferences ?? []) : [];
  const there = new Set(csvs.map((csv) => csv.metadata.uid));
  return owners.length === 0 || owners.some(({ kind, uid }) => kind !== CSV_API.kind || there.has(uid));
}

/** Lists components in other namespaces: rights that came with a copy of the CSV. */
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
    ...MANAGED_OF_NAMESPACE.map((kind) => reader.list(kind, { namespace, labelSelector: MANAGED_SELECTOR })),
    ...OF_CLUSTER.map((kind) =>
      reader.list(kind, { labelSelector: `olm.owner.kind=${CSV_API.kind},olm.owner.namespace=${namespace}` }),
    ),
  ]);
  return lists.flat();
}
