import { type FleetCatalog, FleetCatalogOutcome, MOST_DIGESTS_SHOWN } from '#core/kernel/api/fleet/fleet-catalog';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { sameJson } from '#core/kernel/canonical/same-json';
import { mergedConditions } from '#core/kernel/conditions/condition-list';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import { isOfCatalogs, stagedCatalogConditions } from '#core/rollout/status/operator-conditions';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { LiveFleet } from '../state/live-fleet.js';
import { operatorFigures } from './operator-status.js';

/**
 * Writes the state of a Staged FleetCatalog in its clusters, if more than numbers has changed or
 * `mayWriteNumbers` is set. `problem`: the reason why no rollout of it begins. Returns `owed` if changed
 * numbers are left for later.
 */
export async function writeCatalogStatus(
  hub: KubeClient,
  subject: FleetSubject,
  catalog: FleetCatalog,
  fleet: LiveFleet,
  { mayWriteNumbers, problem }: Readonly<{ mayWriteNumbers: boolean; problem: SubjectProblem | undefined }>,
): Promise<'same' | 'written' | 'owed'> {
  const stored = FleetCatalogOutcome.safeParse(catalog.status ?? {}).data ?? {};
  const before = { ...stored, conditions: (stored.conditions ?? []).filter(isOfCatalogs) };
  const { conditions, figures } = operatorFigures(subject, fleet);
  const found = stagedCatalogConditions(conditions, problem);
  const after = {
    clusters: fleet.targetsOf(subject).length,
    digests: figures.versions
      .slice(0, MOST_DIGESTS_SHOWN)
      .map(({ bundle: digest, clusters }) => ({ digest, clusters })),
    conditions: mergedConditions(before.conditions, found, new Date(fleet.now).toISOString()),
  };
  if (sameJson(before, after)) return 'same';
  if (!mayWriteNumbers && sameJson(before.conditions, after.conditions)) return 'owed';
  const { name, namespace } = catalog.metadata;
  const object = { apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name, namespace }, status: after };
  await hub.apply(object, { subresource: 'status' });
  return 'written';
}
