import { type ClusterSighting, clusterStatus } from '#core/cluster/membership/cluster-conditions';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import {
  type OperatorSummary,
  operatorConditions,
  stagedCatalogConditions,
} from '#core/rollout/status/operator-conditions';

const AT = '2026-11-30T12:00:00Z';
const FLEET = 'fleet.flotilla.dev/v1alpha1';
const OLM = 'operators.coreos.com/v1alpha1';

/** Health as Argo CD names it, and the state that Flux takes an object for. */
export type HealthCase = Readonly<{
  what: string;
  object: KubernetesObject;
  argo: 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended';
  flux: 'Current' | 'InProgress' | 'Failed';
}>;
type Outcome = Pick<HealthCase, 'argo' | 'flux'>;

const HEALTHY: Outcome = { argo: 'Healthy', flux: 'Current' };
const PROGRESSING: Outcome = { argo: 'Progressing', flux: 'InProgress' };
const DEGRADED: Outcome = { argo: 'Degraded', flux: 'Failed' };
/** Waits for a person. Flux has no word for it. */
const SUSPENDED: Outcome = { argo: 'Suspended', flux: 'InProgress' };

const of = (apiVersion: string, kind: string, what: string, status: object, outcome: Outcome): HealthCase => ({
  what: `${kind}: ${what}`,
  object: { apiVersion, kind, metadata: { name: 'one', generation: 2 }, status } as KubernetesObject,
  ...outcome,
});
const condition = (type: string, status: string, reason: string, more: object = {}) => ({
  ...{ type, status, reason, message: 'because', lastTransitionTime: AT },
  ...more,
});

const IDLE: OperatorSummary = {
  ...{ isPaused: false, active: undefined, hasQueued: false, newest: undefined, installed: 3 },
  ...{ unhealthy: [], updatable: [], drifted: [], deprecated: [], conflicting: [] },
};
const ROLLOUT = { name: 'lamp-1', phase: 'Progressing', reason: '', isAsking: false, inFlight: 1, failed: 0 } as const;
const TAKEN = { cluster: 'east', because: 'taken' };
const PLANNED = condition('Resolved', 'True', 'Planned');

/** A FleetOperator whose conditions are those that the fleet controller writes. */
function operator(
  what: string,
  found: Partial<OperatorSummary>,
  outcome: Outcome,
  resolved: object = PLANNED,
): HealthCase {
  const conditions = [resolved, ...operatorConditions({ ...IDLE, ...found })];
  return of(FLEET, 'FleetOperator', what, { conditions }, outcome);
}

/** A held Staged FleetCatalog whose conditions are those that the poller and the fleet controller write. */
function staged(
  what: string,
  found: Partial<OperatorSummary>,
  outcome: Outcome,
  problem?: Readonly<{ reason: string; message: string }>,
): HealthCase {
  const written = stagedCatalogConditions(operatorConditions({ ...IDLE, ...found }), problem);
  return of(FLEET, 'FleetCatalog', what, { conditions: [condition('Ready', 'True', 'Held'), ...written] }, outcome);
}

/** A FleetCluster whose conditions are those that the poller writes. */
const cluster = (what: string, sighting: ClusterSighting, outcome: Outcome): HealthCase =>
  of(FLEET, 'FleetCluster', what, clusterStatus({}, sighting, AT), outcome);
const acts = { acts: true, isPaused: false, because: '' };

const rollout = (phase: string, outcome: Outcome, ...conditions: readonly object[]): HealthCase =>
  of(
    FLEET,
    'FleetRollout',
    [phase, ...conditions.map((one) => JSON.stringify(one))].join(' '),
    { phase, conditions },
    outcome,
  );

const subscription = (what: string, status: object, outcome: Outcome) => of(OLM, 'Subscription', what, status, outcome);
const extension = (what: string, conditions: readonly object[], outcome: Outcome) =>
  of('olm.operatorframework.io/v1', 'ClusterExtension', what, { conditions }, outcome);
const source = (what: string, status: object, outcome: Outcome) => of(OLM, 'CatalogSource', what, status, outcome);
const seen = (generation: number) => ({ observedGeneration: generation });

export const HEALTH_CASES: readonly HealthCase[] = [
  operator('everything is up to date', {}, HEALTHY),
  operator('nothing is installed yet', { installed: 0 }, PROGRESSING),
  operator('a rollout is under way', { active: ROLLOUT }, PROGRESSING),
  operator('another target waits', { hasQueued: true }, PROGRESSING),
  operator('a rollout waits for approval', { active: { ...ROLLOUT, isAsking: true, inFlight: 0 } }, SUSPENDED),
  operator('it is paused', { isPaused: true }, SUSPENDED),
  operator('a rollout is paused', { active: { ...ROLLOUT, phase: 'Paused' } }, SUSPENDED),
  operator('a rollout is halted', { active: { ...ROLLOUT, phase: 'Halted', reason: 'GateRed' } }, DEGRADED),
  operator('the newest rollout went back', { newest: { ...ROLLOUT, phase: 'RolledBack' } }, DEGRADED),
  operator('clusters failed', { newest: { ...ROLLOUT, phase: 'Completed', failed: 2 } }, DEGRADED),
  operator('an operator is unhealthy', { unhealthy: ['east'] }, DEGRADED),
  operator('no cluster is selected', { installed: 0 }, PROGRESSING, condition('Resolved', 'False', 'NothingSelected')),
  operator('it cannot be resolved', {}, DEGRADED, condition('Resolved', 'False', 'ResolutionFailed')),
  of(FLEET, 'FleetOperator', 'it was stored a moment ago', {}, PROGRESSING),

  of(FLEET, 'FleetCatalog', 'held', { conditions: [condition('Ready', 'True', 'Held')] }, HEALTHY),
  of(FLEET, 'FleetCatalog', 'not pulled yet', { conditions: [condition('Ready', 'Unknown', 'Held')] }, PROGRESSING),
  of(FLEET, 'FleetCatalog', 'cannot be pulled', { conditions: [condition('Ready', 'False', 'PullFailed')] }, DEGRADED),
  staged('everything has the content', {}, HEALTHY),
  staged('a rollout is under way', { active: ROLLOUT }, PROGRESSING),
  staged('another digest waits', { hasQueued: true }, PROGRESSING),
  staged('a rollout waits for approval', { active: { ...ROLLOUT, isAsking: true, inFlight: 0 } }, SUSPENDED),
  staged('it is paused', { isPaused: true }, SUSPENDED),
  staged('a rollout is paused', { active: { ...ROLLOUT, phase: 'Paused' } }, SUSPENDED),
  staged('a rollout is halted', { active: { ...ROLLOUT, phase: 'Halted', reason: 'GateRed' } }, DEGRADED),
  staged('its name is taken', { conflicting: [TAKEN] }, DEGRADED),
  staged('its name is taken, and a rollout is under way', { active: ROLLOUT, conflicting: [TAKEN] }, DEGRADED),
  staged('its strategy cannot be read', {}, DEGRADED, { reason: 'StrategyUnreadable', message: 'because' }),
  of(
    FLEET,
    'FleetCatalog',
    'it cannot be read itself',
    { conditions: [condition('Ready', 'True', 'Held'), condition('Progressing', 'False', 'Unreadable')] },
    DEGRADED,
  ),

  cluster('answers', { managed: acts }, HEALTHY),
  cluster('is silent', { managed: acts, silence: { reason: 'Timeout', message: 'no answer' } }, DEGRADED),
  cluster('refuses the login', { credentials: { fault: { reason: 'Expired', message: 'ended' } } }, DEGRADED),
  cluster('is paused', { managed: { ...acts, isPaused: true } }, { argo: 'Suspended', flux: 'Current' }),
  cluster('is left to OLM', { managed: { ...acts, acts: false } }, SUSPENDED),
  of(FLEET, 'FleetCluster', 'is new', {}, PROGRESSING),

  of(
    FLEET,
    'FleetClusterSource',
    'in step',
    { ...seen(2), conditions: [condition('Ready', 'True', 'InStep')] },
    HEALTHY,
  ),
  of(
    FLEET,
    'FleetClusterSource',
    'not read yet',
    { ...seen(1), conditions: [condition('Ready', 'True', 'InStep')] },
    PROGRESSING,
  ),
  of(
    FLEET,
    'FleetClusterSource',
    'refused',
    { ...seen(2), conditions: [condition('Ready', 'False', 'Refused')] },
    DEGRADED,
  ),

  of(
    FLEET,
    'FleetNotification',
    'delivers',
    { ...seen(2), conditions: [condition('Ready', 'True', 'Delivering')] },
    HEALTHY,
  ),
  of(
    FLEET,
    'FleetNotification',
    'not read yet',
    { ...seen(1), conditions: [condition('Ready', 'True', 'Delivering')] },
    PROGRESSING,
  ),
  of(
    FLEET,
    'FleetNotification',
    'a receiver fails',
    { ...seen(2), conditions: [condition('Ready', 'False', 'DeliveryFails')] },
    DEGRADED,
  ),

  rollout('Planning', PROGRESSING),
  rollout('Progressing', PROGRESSING, condition('Progressing', 'True', 'Advancing')),
  rollout('Progressing', SUSPENDED, condition('Progressing', 'False', 'Approval')),
  rollout('Paused', SUSPENDED),
  rollout('Halted', DEGRADED),
  rollout('RollingBack', DEGRADED),
  rollout('RolledBack', DEGRADED),
  rollout('Aborted', DEGRADED),
  rollout('Superseded', HEALTHY),
  rollout('Completed', HEALTHY, condition('Degraded', 'False', 'NoneFailed')),
  rollout('Completed', DEGRADED, condition('Degraded', 'True', 'ClustersFailed')),

  ...['FleetStrategy', 'FleetWindow'].flatMap((kind) => [
    of(FLEET, kind, 'read', { ...seen(2), conditions: [condition('Valid', 'True', 'Read')] }, HEALTHY),
    of(FLEET, kind, 'unreadable', { ...seen(2), conditions: [condition('Valid', 'False', 'Unreadable')] }, DEGRADED),
    of(FLEET, kind, 'changed', { ...seen(1), conditions: [condition('Valid', 'True', 'Read')] }, PROGRESSING),
  ]),

  subscription('is new', {}, PROGRESSING),
  subscription('is installed', { state: 'AtLatestKnown', installedCSV: 'lamp.v1' }, HEALTHY),
  subscription(
    'is upgraded',
    { state: 'UpgradePending', conditions: [condition('InstallPlanPending', 'True', 'Installing')] },
    PROGRESSING,
  ),
  subscription(
    'waits for approval',
    {
      state: 'UpgradePending',
      installedCSV: 'lamp.v1',
      conditions: [condition('InstallPlanPending', 'True', 'RequiresApproval')],
    },
    SUSPENDED,
  ),
  subscription(
    'lost its plan long ago',
    { state: 'AtLatestKnown', conditions: [condition('InstallPlanMissing', 'True', 'ReferencedInstallPlanNotFound')] },
    HEALTHY,
  ),
  ...['ResolutionFailed', 'InstallPlanFailed', 'BundleUnpackFailed', 'CatalogSourcesUnhealthy'].map((type) =>
    subscription(type, { state: 'AtLatestKnown', conditions: [condition(type, 'True', 'Because')] }, DEGRADED),
  ),
  subscription(
    'has healthy catalogs',
    { state: 'AtLatestKnown', conditions: [condition('CatalogSourcesUnhealthy', 'False', 'AllHealthy')] },
    HEALTHY,
  ),

  extension(
    'is installed',
    [condition('Installed', 'True', 'Succeeded', seen(2)), condition('Progressing', 'True', 'Succeeded', seen(2))],
    HEALTHY,
  ),
  extension(
    'was changed',
    [condition('Installed', 'True', 'Succeeded', seen(1)), condition('Progressing', 'True', 'Succeeded', seen(1))],
    PROGRESSING,
  ),
  extension(
    'is blocked',
    [condition('Installed', 'False', 'Failed', seen(2)), condition('Progressing', 'False', 'Blocked', seen(2))],
    DEGRADED,
  ),
  // An error that is tried again: Argo CD shows it, and Flux goes on waiting.
  extension('is tried again', [condition('Progressing', 'True', 'Retrying', seen(2))], {
    argo: 'Degraded',
    flux: 'InProgress',
  }),
  extension(
    'is not available',
    [
      condition('Installed', 'True', 'Succeeded', seen(2)),
      condition('Progressing', 'True', 'Succeeded', seen(2)),
      condition('Available', 'False', 'ProbeFailure', seen(2)),
    ],
    { argo: 'Degraded', flux: 'InProgress' },
  ),

  source('is new', {}, PROGRESSING),
  source('is held', { connectionState: { lastObservedState: 'READY' } }, HEALTHY),
  source('is pulled', { connectionState: { lastObservedState: 'CONNECTING' } }, PROGRESSING),
  source('cannot be pulled', { connectionState: { lastObservedState: 'TRANSIENT_FAILURE' } }, DEGRADED),
  source('has a spec that cannot be', { reason: 'SpecInvalidError', message: 'no image' }, DEGRADED),
];

/** Kinds whose health is their being there. */
export const WITHOUT_HEALTH = ['FleetAssignment', 'FleetDecision', 'FleetPlan'];
