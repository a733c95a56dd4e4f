import { CSV_API } from '#core/api/cluster-service-version';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { OPERATOR_CONDITION_API } from '#core/api/operator-condition';
import type { Subscription } from '#core/api/subscription';
import { isCopied, ownedCrds } from '#core/csv/csv-facts';
import { adoptionLabels } from '#core/operators/adoption-labels';
import { componentLabel, operatorName } from '#core/operators/component-label';
import { OPERATOR_API, operatorObject } from '#core/operators/operator-object';
import type { KindRef } from '#platform/kube/kube-client.port';
import { perform } from '../namespaces/perform.js';
import { AT_REST, joined, type StageInput, type StageOutcome } from '../namespaces/stage.js';

const core = (kind: string): KindRef => ({ apiVersion: 'v1', kind });
const rbac = (kind: string): KindRef => ({ apiVersion: 'rbac.authorization.k8s.io/v1', kind });
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

/** Kinds a CSV's parts are of: in its namespace, those that carry `olm.managed` alone, and cluster-wide (csv-lifecycle.md §12). */
const ALL_OF_NAMESPACE = [
  core('ServiceAccount'),
  rbac('Role'),
  rbac('RoleBinding'),
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  OPERATOR_CONDITION_API,
];
const MANAGED_OF_NAMESPACE = [core('Service'), core('Secret'), core('ConfigMap')];
const OF_CLUSTER = [rbac('ClusterRole'), rbac('ClusterRoleBinding')];

/** Marks the parts of each installed operator with its component label, and keeps the Operator object that gathers them. */
export async function operatorStage(input: StageInput): Promise<StageOutcome> {
  let outcome = AT_REST;
  for (const subscription of input.read.subscriptions) outcome = joined(outcome, await adopt(input, subscription));
  return outcome;
}

async function adopt(input: StageInput, subscription: Subscription): Promise<StageOutcome> {
  const { read, reader } = input;
  const installed = subscription.status?.installedCSV;
  if (!installed) return AT_REST;
  const csv = read.csvs.find((one) => one.metadata.name === installed && !isCopied(one));
  const candidates = csv === undefined ? [] : await candidatesIn(input);
  const crds = new Map<string, KubernetesObject>();
  for (const { name } of csv === undefined ? [] : ownedCrds(csv)) {
    const crd = await reader.get({ ...CRD, name });
    if (crd !== undefined) crds.set(name, { ...crd, ...CRD });
  }
  const labels = adoptionLabels(subscription, { csv, plans: read.installPlans, candidates, crds });
  // A label is worth a try: what went or changed meanwhile is met again in the next pass.
  if (labels.length > 0) return perform(input, labels);
  return gather(input, subscription, [
    ...read.subscriptions,
    ...read.installPlans,
    ...read.csvs,
    ...candidates,
    ...crds.values(),
  ]);
}

async function gather(
  input: StageInput,
  { spec }: Subscription,
  objects: readonly KubernetesObject[],
): Promise<StageOutcome> {
  const { namespace } = input.read;
  const label = componentLabel(spec.name, namespace);
  const components = objects.filter(({ metadata }) => metadata.labels?.[label] !== undefined);
  const live = await input.reader.get({ ...OPERATOR_API, name: operatorName(spec.name, namespace) });
  return perform(input, operatorObject(spec.name, namespace, components, live), live === undefined ? [] : [live]);
}

async function candidatesIn({ read, reader }: StageInput): Promise<readonly KubernetesObject[]> {
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
