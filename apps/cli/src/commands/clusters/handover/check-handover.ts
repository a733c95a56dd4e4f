import { type HandoverFinding, handoverFindings } from '#core/cluster/handover/handover-findings';
import { crdInstallation } from '#core/cluster/joining/crd-installation';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { asList, asRecord } from '#core/kernel/crd/loose-value';
import type { Settings } from '#platform/config/settings';
import { shippedManifests } from '#platform/joining/shipped-manifests';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';
import { openLiveContents } from '../../../preview/live-contents.js';
import { managedNamespaces, nextStep } from '../../../preview/next-step.js';

/** Returns the objections to a hand-over of this cluster. Writes nothing. */
export async function checkHandover(
  client: KubeClient,
  settings: Settings,
  hub: string | undefined,
): Promise<readonly HandoverFinding[]> {
  const none = { plans: [], csvs: [], catalogs: [], newerDefinitions: [], choices: new Map(), unread: [] };
  if (await client.serves(KIND.ClusterVersion)) return handoverFindings({ ...none, isOpenShift: true });
  const [plans, csvs, catalogs, newerDefinitions] = await Promise.all([
    listOf(client, INSTALL_PLAN_API),
    listOf(client, CSV_API),
    listOf(client, CATALOG_SOURCE_API),
    newer(client),
  ]);
  const facts = { isOpenShift: false, plans, csvs, catalogs, newerDefinitions };
  return handoverFindings({ ...facts, ...(await choicesOf(client, settings, hub)) });
}

const listOf = async (client: KubeClient, kind: KindRef): Promise<readonly KubernetesObject[]> =>
  (await client.list(kind))?.items ?? [];

async function newer(client: KubeClient): Promise<readonly string[]> {
  const { crds } = await shippedManifests();
  const found = await Promise.all(
    crds.map(async (ours) => ({ ours, installation: crdInstallation(await client.get(refOf(ours)), ours) })),
  );
  return found.flatMap(({ ours, installation }) =>
    installation.do === 'leave' ? [`CustomResourceDefinition ${ours.metadata.name}`] : [],
  );
}

/** The plans that the hub would make at once: with OLM at rest these are choices that OLM did not make. */
async function choicesOf(client: KubeClient, settings: Settings, hub: string | undefined) {
  const contents = await openLiveContents(settings, hub);
  const choices = new Map<string, readonly string[]>();
  const unread = new Set<string>();
  for (const namespace of await managedNamespaces(client)) {
    const step = await nextStep(client, namespace, { settings, contents });
    for (const one of step.unread) unread.add(one);
    const names = step.writes
      .filter(({ verb, ref }) => verb === 'create' && ref.kind === INSTALL_PLAN_API.kind)
      .flatMap(({ change }) => asList(asRecord(asRecord(change)['spec'])['clusterServiceVersionNames']).map(String));
    if (names.length > 0) choices.set(namespace, names);
  }
  return { choices, unread: [...unread] };
}
