import { REMOVED_BY_ANNOTATION } from '#core/cluster/marks/fleet-marks';
import { type ClusterServiceVersion, CSV_API } from '#core/kernel/api/cluster-service-version';
import { csvName } from '#core/kernel/api/csv-facts';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { SUBSCRIPTION_API } from '#core/kernel/api/subscription';
import { REMOVED, REMOVING } from '#core/rollout/desired/leaving';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { wasChangedFor } from '../subject/fleet-subject.js';
import { chainOf, csvsIn } from './classic-return.js';
import { newestPlan, subscriptionsIn } from './classic-subject.js';

const removed = (message = ''): RowFinding => ({
  state: 'Ready',
  reason: REMOVED,
  ...(message === '' ? {} : { message: reportText(message) }),
});
const removing = (message: string): RowFinding => ({ state: 'Running', reason: REMOVING, message });

/**
 * Removes the Subscription and the CSV of a FleetOperator. CRDs and their objects, the namespace, its
 * OperatorGroup and the catalog stay. A Subscription that the fleet has never changed stays, too. CSVs are
 * marked before the Subscription goes: after that nothing else names their owner.
 */
export async function removeClassic(client: KubeClient, operator: FleetOperator): Promise<RowFinding> {
  const { namespace, package: packageName } = operator.spec;
  const key = `${operator.metadata.namespace}/${operator.metadata.name}`;
  const subscription = (await subscriptionsIn(client, namespace)).find(({ spec }) => spec.name === packageName);
  const isOurs = subscription !== undefined && wasChangedFor(subscription, operator);
  if (isOurs) {
    const plan = await newestPlan(client, subscription);
    const { phase } = plan?.status ?? {};
    if (plan?.spec.approved === true && phase !== 'Complete' && phase !== 'Failed') {
      return removing('the approved InstallPlan is being executed');
    }
    const { installedCSV, currentCSV } = subscription.status ?? {};
    for (const csv of chainOf(await csvsIn(client, namespace), [installedCSV, currentCSV])) {
      const annotations = { [REMOVED_BY_ANNOTATION]: key };
      await client.patch({ ...CSV_API, name: csvName(csv), namespace }, { metadata: { annotations } });
    }
    const { name = '', uid = '' } = subscription.metadata;
    await client.delete({ ...SUBSCRIPTION_API, name, namespace }, { uid });
  }
  const marked = (await csvsIn(client, namespace)).filter(
    ({ metadata }) => metadata.annotations?.[REMOVED_BY_ANNOTATION] === key,
  );
  for (const csv of marked) await deleteCsv(client, csv);
  if (marked.length > 0) return removing(`${marked.map(csvName).join(', ')} is being deleted`);
  if (isOurs || subscription === undefined) return removed();
  return removed(`Subscription ${namespace}/${subscription.metadata.name} is not the fleet's: it stays`);
}

async function deleteCsv(client: KubeClient, csv: ClusterServiceVersion): Promise<void> {
  const { uid = '', namespace, deletionTimestamp } = csv.metadata;
  if (deletionTimestamp !== undefined) return;
  await client.delete({ ...CSV_API, name: csvName(csv), namespace }, { uid, propagation: 'Background' });
}
