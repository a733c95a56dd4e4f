import { referenceOf } from '#core/classic/install-plan/creation/bundle-reference';
import { CRD_KIND, CSV_KIND } from '#core/classic/install-plan/steps/install-plan-step';
import { manifestOf } from '#core/classic/install-plan/steps/step-manifest';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { csvName, isCopied } from '#core/kernel/api/csv-facts';
import { INSTALL_PLAN_API, InstallPlan, type InstallPlanStep } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Subscription } from '#core/kernel/api/subscription';
import { type ReturnFacts } from '#core/rollout/desired/return-check';
import { type KubeClient } from '#platform/kube/client/kube-client.port';
import type { NotThere } from '../../previews/classic-preview.js';
import type { OrderCluster, OrderPreviews } from '../place/order-place.js';
import { pairsOf } from '../subject/definition-pairs.js';
import { type ClassicSubject, refusalOf } from './classic-subject.js';

/** Label of the copies of a CSV in other namespaces. */
const NOT_COPIED = '!olm.copiedFrom';

/** Answers that a return depends on. */
type ReturnPreviews = Pick<OrderPreviews, 'whyNotOffered' | 'fetchObjects'>;

/** Reads the facts for a return of this Subscription to an earlier bundle, or names the awaited input. */
export async function readReturnFacts(
  { client }: Pick<OrderCluster, 'client'>,
  previews: ReturnPreviews,
  { subscription, operator }: ClassicSubject,
  previous: string | null,
): Promise<ReturnFacts | Readonly<{ waits: string }>> {
  const { namespace } = operator.spec;
  const installed = subscription.status?.installedCSV;
  const nothing = { definitions: [], current: undefined, earlier: undefined, others: [], notUpgradeable: undefined };
  if (previous === null) return { previous, hasContent: false, ...nothing };
  const all = await installedOperators(client);
  const own = all.filter(({ metadata }) => metadata.namespace === namespace);
  const current = own.find((csv) => csvName(csv) === installed);
  const chain = new Set([installed, previous]);
  const others = all.filter((csv) => csv.metadata.namespace !== namespace || !chain.has(csvName(csv)));
  const notUpgradeable = await refusalOf(client, namespace, installed);
  const common = { previous, current, others, notUpgradeable };
  const missing = runsOn(own, subscription, previous)
    ? undefined
    : await previews.whyNotOffered?.(subscription, previous);
  const found = missing ?? (await objectsOf(client, previews, namespace, previous));
  if ('waits' in found) return found;
  if ('gone' in found)
    return { ...common, hasContent: false, whyGone: found.gone, definitions: [], earlier: undefined };
  const definitions = await pairsOf(client, found.objects);
  const earlier = ClusterServiceVersion.safeParse(found.objects.find(({ kind }) => kind === CSV_KIND)).data;
  return { ...common, hasContent: true, definitions, earlier };
}

/** True if nothing of a newer bundle was created: the earlier one need not come again. */
function runsOn(own: readonly ClusterServiceVersion[], { status }: Subscription, previous: string): boolean {
  const names = new Set(own.map(csvName));
  const newer = [status?.currentCSV, status?.installedCSV].filter((name) => name !== previous);
  return names.has(previous) && !newer.some((name) => name !== undefined && names.has(name));
}

async function installedOperators(client: KubeClient): Promise<ClusterServiceVersion[]> {
  const list = await client.list(CSV_API, { labelSelector: NOT_COPIED });
  const all = (list?.items ?? []).flatMap(
    (item) => ClusterServiceVersion.safeParse({ ...item, ...CSV_API }).data ?? [],
  );
  return all.filter((csv) => !isCopied(csv));
}

/**
 * Returns the objects that a bundle brings, from the newest plan that installed it there, or from the place
 * that the plan refers to.
 */
async function objectsOf(
  client: KubeClient,
  previews: ReturnPreviews,
  namespace: string,
  bundle: string,
): Promise<Readonly<{ objects: readonly KubernetesObject[] }> | NotThere> {
  const list = await client.list(INSTALL_PLAN_API, { namespace });
  const plans = (list?.items ?? [])
    .flatMap((item) => InstallPlan.safeParse({ ...item, ...INSTALL_PLAN_API }).data ?? [])
    .sort((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0));
  let missing: NotThere = { gone: `no InstallPlan of namespace ${namespace} has brought ${bundle}` };
  for (const plan of plans) {
    const steps = (plan.status?.plan ?? [])
      .filter((step) => step !== null)
      .filter(({ resolving }) => resolving === bundle);
    if (!steps.some(({ resource }) => resource.kind === CSV_KIND && resource.name === bundle)) continue;
    const found = await broughtBy(previews, plan, steps);
    if ('objects' in found || 'waits' in found) return found;
    missing = found;
  }
  return missing;
}

/**
 * Returns the CSV and definitions of these steps. If the plan refers to the bundle, returns all objects of
 * the bundle.
 */
async function broughtBy(
  { fetchObjects }: ReturnPreviews,
  plan: InstallPlan,
  steps: readonly InstallPlanStep[],
): Promise<Readonly<{ objects: readonly KubernetesObject[] }> | NotThere> {
  const wanted = steps.filter(({ resource }) => resource.kind === CSV_KIND || resource.kind === CRD_KIND);
  const reference = wanted.map(referenceOf).find((one) => one !== undefined);
  if (reference !== undefined) {
    const gone = { gone: `InstallPlan ${plan.metadata.name} only refers to ${reference.name}` };
    return fetchObjects === undefined ? gone : fetchObjects(reference, plan);
  }
  const objects = wanted.flatMap((step) => {
    const manifest = manifestOf(step);
    return 'object' in manifest ? [manifest.object] : [];
  });
  return { objects };
}
