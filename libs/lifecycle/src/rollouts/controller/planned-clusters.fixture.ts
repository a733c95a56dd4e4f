import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PlayedFleet } from './rollouts.fixture.js';

const [OLD, NEW] = ['kafka-operator.v2.3.0', 'kafka-operator.v2.4.0'];
const SUBJECT = 'FleetOperator/platform/kafka';
const PLAN = { planHash: 'a'.repeat(64), hops: ['b'.repeat(64)], planned: NEW, changes: ['Minor'] };
const common = { subject: SUBJECT, healthy: true };

/** Creates a hub API with clusters that answer and plan an update. No applier carries out orders. */
export async function plannedClusters(
  names: readonly string[],
  waves: readonly object[],
  strategy: object = {},
): Promise<PlayedFleet> {
  const played = await PlayedFleet.begin([], () => ({}));
  const { cluster } = played.hub;
  const conditions = [{ type: 'Reachable', status: 'True', lastTransitionTime: played.clock.now().toISOString() }];
  for (const name of names) {
    const add = (kind: string, spec: object, status: object) => {
      const object = { apiVersion: FLEET_API, kind, metadata: { name }, spec };
      cluster.create(object as KubernetesObject);
      cluster.edit({ apiVersion: FLEET_API, kind, name }, (stored) => Object.assign(stored, { status }), 'status');
    };
    const rows = [{ ...common, ...PLAN, state: 'Planned', bundle: OLD }];
    add('FleetCluster', { access: { context: name } }, { uid: name, conditions });
    add('FleetAssignment', { rows: [{ subject: SUBJECT, order: 'Preview' }] }, { rows });
  }
  await played.apply('FleetStrategy', 's', { waves, ...strategy });
  await played.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  return played;
}

/** The clusters that are ordered to go. */
export const ordered = ({ hub }: PlayedFleet): string[] =>
  hub.cluster
    .list({ apiVersion: FLEET_API, kind: 'FleetAssignment' })
    .filter(({ spec }) => JSON.stringify(spec).includes('"Go"'))
    .map(({ metadata }) => metadata.name);

/** A cluster reports that it has the update. */
export const succeed = (played: PlayedFleet, name: string, more: Readonly<{ healthy?: boolean }> = {}): void =>
  report(played, name, { state: 'Ready', hop: 1, bundle: NEW, ...more });

/** A cluster reports that the update has failed. */
export const fail = (played: PlayedFleet, name: string): void =>
  report(played, name, { state: 'Failed', bundle: OLD, message: 'ImagePullBackOff' });

function report({ hub }: PlayedFleet, name: string, more: object): void {
  const rows = [{ ...common, rollout: 'platform/kafka-1', attempt: 1, ...more }];
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
  hub.cluster.edit(ref, (stored) => Object.assign(stored, { status: { rows } }), 'status');
}

/**
 * Reports a cluster's plan once more, with its changes. `isThere`: the cluster has the version that the plan
 * leads to.
 */
export const reportPlan = (
  { hub }: PlayedFleet,
  name: string,
  { isThere = false, ...more }: Readonly<{ isThere?: boolean } & Record<string, unknown>>,
): void => {
  const rows = [{ ...common, ...(isThere ? { bundle: NEW } : { ...PLAN, bundle: OLD }), state: 'Planned', ...more }];
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
  hub.cluster.edit(ref, (stored) => Object.assign(stored, { status: { rows } }), 'status');
};
