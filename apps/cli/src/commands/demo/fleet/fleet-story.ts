import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { Refusal } from '#testing/cluster/objects/refusal';
import { NEXT } from '../../../output/next-commands.js';
import type { Io } from '../../../terminal/io.js';
import { makeDecisions } from '../../fleet/decide/make-decisions.js';
import { initFleet } from '../../fleet/hub/init-fleet.js';
import { showPlan } from '../../fleet/plan/show-plan.js';
import { createIgnoringExisting } from '../environment/create-object.js';
import { installMissingCrds } from '../environment/install-crds.js';
import type { Sighting } from '../motion/motion.js';
import { objectSighting } from '../motion/object-sighting.js';
import { receiverObjects } from './demo-receiver.js';
import type { DemoScreen } from './demo-screen.js';
import type { FleetEnvironment } from './fleet-environment.js';
import { BOARD, clusterObjects, fleetObjects, PLATFORM, SEA } from './fleet-objects.js';
import { bundleOf, type LighthouseVersion, offerLighthouse, PACKAGE } from './lighthouse.js';

const OLM = KIND.Subscription.apiVersion;
const OPERATOR = 'lighthouse';

export const FIRST: LighthouseVersion = { version: '1.0.0' };
export const PATCH: LighthouseVersion = { version: '1.0.1', replaces: '1.0.0' };
export const BAD: LighthouseVersion = { version: '1.1.0', replaces: '1.0.1', isWider: true };

/** The parts that a step needs. */
export type FleetStory = Readonly<{ io: Io; environment: FleetEnvironment; screen: DemoScreen }>;

/** Returns the name of a rollout. */
const rolloutName = (number: number): string => `${OPERATOR}-${number}`;
const fullName = (number: number): string => `${PLATFORM}/${rolloutName(number)}`;

/** Every cluster has the operator at a version; then the fleet takes over. */
export async function prepareFleet(story: FleetStory, first: LighthouseVersion): Promise<void> {
  const { environment, screen } = story;
  const { hub, rings, environment: services, clusters, simulated } = environment;
  await offerLighthouse(services.registry, [first]);
  await initFleet(hub, mute(), { dryRun: false, output: 'table' });
  const clients = services.clients.filter(({ cluster }) => clusters.includes(cluster));
  await Promise.all(
    clients.map(async (client) => {
      await installMissingCrds(client);
      for (const object of clusterObjects(services.registry.host)) await createIgnoringExisting(client, object);
    }),
  );
  const isMissing = (name: string) => installedIn(environment, name) !== bundleOf(first.version);
  await screen.until(`${bundleOf(first.version)} in every cluster`, {
    isReached: () => !clusters.some(isMissing),
    object: () => clusters.find(isMissing),
    sightings: () => clusters.flatMap((name) => clusterSightings(environment, name)),
  });
  for (const name of clusters) {
    const { apiVersion, kind, name: lighthouse, namespace } = LIGHTHOUSE;
    simulated(name).create({
      apiVersion,
      kind,
      metadata: { name: lighthouse, namespace },
      spec: { height: 40 },
    } as KubernetesObject);
    reportLamp(story, name, true);
    simulated(name).edit(subscriptionRef, ({ spec }) =>
      Object.assign(spec as object, { installPlanApproval: 'Manual' }),
    );
  }
  for (const object of [...fleetObjects(rings), ...receiverObjects(environment.receiver.host)]) {
    await createIgnoringExisting(hub, object);
  }
}

/** A catalog that offers these versions; the fleet follows by a rollout with this number. */
export async function offer(
  { environment, screen }: FleetStory,
  number: number,
  versions: readonly LighthouseVersion[],
) {
  await offerLighthouse(environment.environment.registry, versions);
  screen.follow(fullName(number));
}

/**
 * Waits until the class waits for approval, shows its changes, and approves it as anna of the change board.
 */
export async function approveAsAnna({ environment, screen }: FleetStory, number: number): Promise<void> {
  const { length } = environment.clusters;
  // The hub writes the status of a rollout before the rows of its clusters: until then a plan would be
  // shown without rows.
  const waits = (rollout: LiveRollout | undefined) =>
    rollout?.record.status.phase === 'Progressing' &&
    rollout.record.rows.size >= length &&
    rollout.record.status.classes.some(({ state }) => state.phase === 'Waiting');
  const rollout = rolloutName(number);
  await screen.until(`the plans of ${rollout} to wait for approval`, {
    isReached: waits,
    object: (live) => `${live?.record.rows.size ?? 0} of ${length} planned`,
  });
  await screen.until('the message that it waits', {
    isReached: () => environment.receiver.messages.some((text) => text.includes('WaitsForApproval')),
  });
  const said: string[] = [`\n$ ${NEXT.fleetPlan(rollout)}\n`];
  const captured = { ...mute((text) => said.push(text)), columns: 100 };
  const asked = { name: rollout, output: 'table' } as const;
  await showPlan(environment.hub, captured, asked, new Date());
  const reason = 'CHG-1182';
  const typed = ['flotilla', 'fleet', 'approve', rollout, '--all-classes', '--reason', `"${reason}"`].join(' ');
  said.push(`\n$ ${typed}     # as anna of ${BOARD}\n`);
  const anna = environment.hub.actingAs({ user: 'anna', groups: [BOARD, 'system:authenticated'] });
  await makeDecisions(
    anna,
    { ...captured, err: () => undefined },
    {
      action: 'Approve',
      rollout,
      allClasses: true,
      reason,
      dryRun: false,
      wait: true,
      timeout: '30s',
      output: 'table',
    },
  );
  screen.rest();
  screen.say(`${said.join('').trimEnd()}\n\n`);
  screen.followAgain();
}

/** Waits until the clusters of a wave have the target of the rollout. */
export const ringDone = ({ environment, screen }: FleetStory, ring: string): Promise<void> =>
  screen.until(`wave ${ring}`, {
    isReached: (rollout) => !(environment.rings[ring] ?? []).some(isNotDone(rollout)),
    object: (rollout) => describedRow(rollout, environment.rings[ring]?.find(isNotDone(rollout))),
  });

const isNotDone = (rollout: LiveRollout | undefined) => (cluster: string) =>
  rollout?.record.rows.get(cluster)?.phase !== 'Done';

/** Returns a cluster of a rollout with its phase; without one, the phase of the rollout. */
function describedRow(rollout: LiveRollout | undefined, cluster?: string): string | undefined {
  if (cluster === undefined) return rollout?.record.status.phase;
  const { phase = 'not planned', reason = '' } = rollout?.record.rows.get(cluster) ?? {};
  return `${cluster} (${[phase, reason].filter((one) => one !== '').join(' ')})`;
}

/** Waits until the rollout that is shown has ended like this. */
export const ended = ({ screen }: FleetStory, phase: string): Promise<void> =>
  screen.until(`the rollout to be ${phase}`, {
    isReached: (rollout) => rollout?.record.status.phase === phase,
    object: (rollout) => describedRow(rollout, movingIn(rollout)),
  });

/** Returns a cluster with a rollout at work, otherwise a cluster that waits. */
function movingIn(rollout: LiveRollout | undefined): string | undefined {
  const rows = [...(rollout?.record.rows.values() ?? [])];
  const busy = rows.find(({ phase }) => ['Applying', 'Verifying', 'RollingBack'].includes(phase));
  return (busy ?? rows.find(({ phase }) => phase === 'Waiting'))?.cluster;
}

const LIGHTHOUSE = { apiVersion: 'lighthouse.example.com/v1', kind: 'Lighthouse', name: 'north', namespace: SEA };

/** The script plays the operator: it reports whether the lamp of a cluster's lighthouse burns. */
function reportLamp({ environment }: FleetStory, cluster: string, lit: boolean): void {
  environment.simulated(cluster).edit(LIGHTHOUSE, (object) => Object.assign(object, { status: { lit } }), 'status');
}

/** Makes the lamp of a cluster go dark as soon as the rollout begins there. */
export async function darken(story: FleetStory, cluster: string): Promise<void> {
  const begins = (rollout: LiveRollout | undefined) => rollout?.record.rows.get(cluster)?.phase === 'Applying';
  await story.screen.until(`${cluster} to begin`, {
    isReached: begins,
    object: (rollout) => describedRow(rollout, movingIn(rollout)),
  });
  reportLamp(story, cluster, false);
}

/** Waits until OLM says that the new version has succeeded in a cluster. */
export const succeeded = ({ environment, screen }: FleetStory, cluster: string, version: string): Promise<void> =>
  screen.until(`${cluster}: ClusterServiceVersion ${bundleOf(version)} to succeed`, {
    isReached: () => installedIn(environment, cluster) === bundleOf(version),
    sightings: () => clusterSightings(environment, cluster),
  });

/** Makes the API server of a cluster refuse every request, until the returned function is called. */
export function switchOff({ environment }: FleetStory, cluster: string): () => void {
  const simulated = environment.simulated(cluster);
  const refusal = new Refusal(503, 'ServiceUnavailable', 'the cluster is switched off');
  const switchOn = simulated.failAll({}, refusal);
  simulated.endWatches();
  return switchOn;
}

/** Waits until the fleet sees a cluster as reachable or unreachable. */
export const seen = ({ screen }: FleetStory, cluster: string, isReachable: boolean): Promise<void> =>
  screen.until(`FleetCluster ${cluster} to be ${isReachable ? 'reachable' : 'unreachable'}`, {
    isReached: (_, fleet) => fleet.clusters.get(cluster)?.isReachable === isReachable,
  });

/** Returns the objects of OLM in the operator's namespace of a simulated cluster. */
const clusterSightings = ({ simulated }: FleetEnvironment, cluster: string): readonly Sighting[] =>
  ['Subscription', 'InstallPlan', 'ClusterServiceVersion'].flatMap((kind) =>
    simulated(cluster)
      .list({ apiVersion: OLM, kind, namespace: SEA })
      .map((object) => objectSighting(cluster, { ...object, apiVersion: OLM, kind } as KubernetesObject)),
  );

const subscriptionRef = { ...KIND.Subscription, name: PACKAGE, namespace: SEA };

/** Returns the version that is installed in a cluster, once it has succeeded. */
function installedIn({ simulated }: FleetEnvironment, cluster: string): string | undefined {
  const subscription = simulated(cluster).get(subscriptionRef) as { status?: { installedCSV?: string } } | undefined;
  const name = subscription?.status?.installedCSV;
  if (name === undefined) return undefined;
  const csv = simulated(cluster).get({ ...KIND.ClusterServiceVersion, name, namespace: SEA });
  return (csv as { status?: { phase?: string } } | undefined)?.status?.phase === 'Succeeded' ? name : undefined;
}

const mute = (out: (text: string) => void = () => undefined): Io => ({
  ...{ out, err: () => undefined, exit: () => undefined },
  stdin: async () => '',
});
