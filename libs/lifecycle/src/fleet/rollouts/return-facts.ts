import { referenceOf } from '#core/classic/install-plan/bundle-reference';
import { CRD_KIND, CSV_KIND } from '#core/classic/install-plan/install-plan-step';
import { manifestOf } from '#core/classic/install-plan/step-manifest';
import { type DefinitionPair, type ReturnFacts, readForReturn } from '#core/fleet/rollback/return-check';
import { ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { csvName, isCopied } from '#core/kernel/api/csv-facts';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { convertsByWebhook, crdGroup, crdKind } from '#core/kernel/crd/crd-versions';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { type ClassicSubject, refusalOf } from './classic-subject.js';
import type { OrderPlace } from './order-place.js';

/** Label of the copies of a CSV in other namespaces. */
const NOT_COPIED = '!olm.copiedFrom';

/** Reads what a return of this Subscription to an earlier bundle depends on. */
export async function readReturnFacts(
  place: OrderPlace,
  { subscription, operator }: ClassicSubject,
  previous: string | null,
): Promise<ReturnFacts> {
  const { client } = place;
  const { namespace, package: packageName } = operator.spec;
  const installed = subscription.status?.installedCSV;
  const nothing = { definitions: [], current: undefined, earlier: undefined, others: [], notUpgradeable: undefined };
  if (previous === null) return { previous, hasContent: false, ...nothing };
  const objects = await objectsOf(place, namespace, previous);
  const isOffered = await place.offersBundle?.({ namespace, package: packageName, name: previous });
  const all = await installedOperators(client);
  const own = all.filter(({ metadata }) => metadata.namespace === namespace);
  const current = own.find((csv) => csvName(csv) === installed);
  const chain = new Set([installed, previous]);
  const others = all.filter((csv) => csv.metadata.namespace !== namespace || !chain.has(csvName(csv)));
  const notUpgradeable = await refusalOf(client, namespace, installed);
  const common = { previous, current, others, notUpgradeable };
  if (objects === undefined || isOffered === false) {
    return { ...common, hasContent: false, definitions: [], earlier: undefined };
  }
  const definitions = await pairsOf(client, objects);
  const earlier = ClusterServiceVersion.safeParse(objects.find(({ kind }) => kind === CSV_KIND)).data;
  return { ...common, hasContent: true, definitions, earlier };
}

async function installedOperators(client: KubeClient): Promise<ClusterServiceVersion[]> {
  const list = await client.list(CSV_API, { labelSelector: NOT_COPIED });
  const all = (list?.items ?? []).flatMap(
    (item) => ClusterServiceVersion.safeParse({ ...item, ...CSV_API }).data ?? [],
  );
  return all.filter((csv) => !isCopied(csv));
}

/**
 * What a bundle brings, from the newest plan that installed it there, or from where that plan refers to;
 * undefined where neither has it any more.
 */
async function objectsOf(
  place: OrderPlace,
  namespace: string,
  bundle: string,
): Promise<KubernetesObject[] | undefined> {
  const list = await place.client.list(INSTALL_PLAN_API, { namespace });
  const plans = (list?.items ?? [])
    .flatMap((item) => InstallPlan.safeParse({ ...item, ...INSTALL_PLAN_API }).data ?? [])
    .sort((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0));
  for (const { status } of plans) {
    const steps = (status?.plan ?? []).filter((step) => step?.resolving === bundle).filter((step) => step !== null);
    if (!steps.some(({ resource }) => resource.kind === CSV_KIND && resource.name === bundle)) continue;
    const wanted = steps.filter(({ resource }) => resource.kind === CSV_KIND || resource.kind === CRD_KIND);
    const reference = wanted.map(referenceOf).find((one) => one !== undefined);
    const found =
      reference === undefined
        ? wanted.flatMap((step) => {
            const manifest = manifestOf(step);
            return 'object' in manifest ? [manifest.object] : [];
          })
        : await place.bundleObjects?.(reference, namespace);
    if (found !== undefined) return [...found];
  }
  return undefined;
}

async function pairsOf(client: KubeClient, objects: readonly KubernetesObject[]): Promise<DefinitionPair[]> {
  const pairs: DefinitionPair[] = [];
  for (const earlier of objects.filter(({ kind }) => kind === CRD_KIND)) {
    const { apiVersion, kind, metadata } = earlier;
    const live = await client.get({ apiVersion, kind, name: metadata.name ?? '' });
    // A definition that is gone is made anew by the return.
    if (live !== undefined) pairs.push({ live, earlier, instances: await instancesOf(client, live, earlier) });
  }
  return pairs;
}

/** All objects by version; undefined where a webhook of the operator that is to go does not answer. */
async function instancesOf(
  client: KubeClient,
  live: KubernetesObject,
  earlier: KubernetesObject,
): Promise<DefinitionPair['instances']> {
  const instances = new Map<string, readonly KubernetesObject[]>();
  try {
    for (const version of readForReturn(live, earlier)) {
      const list = await client.list({ apiVersion: `${crdGroup(live)}/${version}`, kind: crdKind(live) });
      instances.set(version, list?.items ?? []);
    }
    return instances;
  } catch (error) {
    if (error instanceof KubeApiError && convertsByWebhook(live)) return undefined;
    throw error;
  }
}
