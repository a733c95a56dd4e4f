import { OPERATOR_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { CATALOG_SOURCE_API } from '#core/kernel/api/catalog-source';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OPERATOR_GROUP_API } from '#core/kernel/api/operator-group';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { CATALOG_ANNOTATION } from '#core/rollout/desired/desired-classic';
import { FLEET_GROUP } from '#core/rollout/desired/desired-group';
import { APPLIED_ANNOTATION } from '#core/rollout/desired/drift';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
/** The objects of a FleetOperator that are there: its Subscription, the group and the catalog of that. */
export async function classicObjects(
  client: KubeClient,
  { metadata, spec }: FleetOperator,
): Promise<readonly KubernetesObject[]> {
  const list = await client.list(SUBSCRIPTION_API, { namespace: spec.namespace });
  const items = (list?.items ?? []).map((item) => ({ ...item, ...SUBSCRIPTION_API }) as KubernetesObject);
  const own = items.find(
    (item) => item.metadata.annotations?.[OPERATOR_ANNOTATION] === `${metadata.namespace}/${metadata.name}`,
  );
  const subscription = Subscription.safeParse(own).data;
  if (own === undefined || subscription === undefined) return [];
  const group = await groupOfFleet(client, spec);
  const { source: name, sourceNamespace: namespace } = subscription.spec;
  const catalog = await client.get({ ...CATALOG_SOURCE_API, name, namespace });
  const key = `${metadata.namespace}/${spec.catalog.fleetCatalog ?? ''}`;
  const isOurs = catalog?.metadata.annotations?.[CATALOG_ANNOTATION] === key;
  return [own, ...(group === undefined ? [] : [group]), ...(isOurs ? [catalog] : [])];
}

/** The group that the fleet made, or has adopted. */
async function groupOfFleet(
  client: KubeClient,
  { namespace, classic }: FleetOperator['spec'],
): Promise<KubernetesObject | undefined> {
  const { manage = 'Create' } = classic?.operatorGroup ?? {};
  if (manage === 'Use') return undefined;
  if (manage === 'Create') return client.get({ ...OPERATOR_GROUP_API, name: FLEET_GROUP, namespace });
  const items = (await client.list(OPERATOR_GROUP_API, { namespace }))?.items ?? [];
  const noted = items.find(({ metadata }) => metadata.annotations?.[APPLIED_ANNOTATION] !== undefined);
  return noted && { ...noted, ...OPERATOR_GROUP_API };
}
