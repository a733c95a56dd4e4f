import { sameJson } from '../../kernel/canonical/same-json.js';
import {
  conditionOf,
  type FoundCondition,
  mergedConditions,
  type StoredCondition,
} from '../../kernel/conditions/condition-list.js';
import type { ClusterFacts } from './cluster-facts.js';

export type CredentialsSighting = Readonly<{
  fault?: Readonly<{ reason: 'Expired' | 'Rejected' | 'Unsafe'; message: string }> | undefined;
  /** The end of the login, if it names one. */
  expiresAt?: string | undefined;
  /** Time from which the hub renews the login. Absent: the hub does not renew it. */
  renewedFrom?: string | undefined;
  /** The reason why the last renewal failed. */
  renewal?: string | undefined;
}>;

/** The hub's knowledge of a cluster's state at one moment. */
export type ClusterSighting = Readonly<{
  /** True if the cluster was not asked: the condition of its reachability keeps its value. */
  isUnasked?: boolean;
  /** Says if the hub's login there works. Undefined means not known: the status keeps its value. */
  credentials?: CredentialsSighting | undefined;
  /** Absent: it answers. */
  silence?: Readonly<{
    reason: 'Refused' | 'Timeout' | 'TLSFailed';
    message: string;
    /** Time of the last answer. Absent: not known. */
    heardAt?: string | undefined;
  }>;
  /** The conflict with another cluster that gives the same identity; null: there is none. */
  dispute?: Readonly<{ isRefused: boolean; message: string }> | null;
  /** Undefined means not known: the status keeps its value. */
  managed?: Readonly<{ acts: boolean; isPaused: boolean; because: string }>;
  /** UID of the namespace kube-system; undefined: not known. */
  uid?: string | undefined;
  /** The UID that users expect. It counts before the hub has seen one. */
  expectedUid?: string | undefined;
  /** The version of the API server; undefined: not known. */
  version?: string | undefined;
  /** Facts found from nodes and claims. The status keeps its value for absent facts. */
  facts?: ClusterFacts | undefined;
  /** Rights that the poller's login lacks there. Undefined means not known: the status keeps its value. */
  missingRights?: readonly string[] | undefined;
  /** The number of installed operators. Undefined means not known: the status keeps its value. */
  operators?: number | undefined;
  /** The UID that the cluster's owner has accepted in place of the previous one. */
  acceptedUid?: string | undefined;
}>;

/** A service of the hub that has a login of its own in clusters. */
export type ServiceOfRights = 'poller' | 'applier';

/**
 * Rights of their roles that the logins of services are missing, as lines. Absent: not asked, or none is
 * needed.
 */
export type LacksOfServices = Readonly<Partial<Record<ServiceOfRights, readonly string[]>>>;

/** Every condition of a FleetCluster. */
export const CLUSTER_CONDITIONS = [
  'CredentialsValid',
  'IdentityStable',
  'IdentityUnique',
  'InSource',
  'Managed',
  'PermissionsSufficient',
  'Reachable',
] as const;

/** A condition of a FleetCluster as it was found. */
export type FoundClusterCondition = FoundCondition & Readonly<{ type: (typeof CLUSTER_CONDITIONS)[number] }>;

export type FleetClusterStatus = Readonly<{
  uid?: string | undefined;
  version?: string | undefined;
  credentialsExpireAt?: string | undefined;
  credentialsRenewedFrom?: string | undefined;
  lastAnswerAt?: string | undefined;
  facts?: Readonly<Record<string, unknown>> | undefined;
  operators?: number | undefined;
  missingRights?: LacksOfServices | undefined;
  conditions?: readonly StoredCondition[] | undefined;
}>;

/**
 * Returns the status of a FleetCluster after a sighting. Unknown facts keep their values. Returns the same
 * object if nothing changed, so that only transitions are written.
 */
export function clusterStatus(before: FleetClusterStatus, sighting: ClusterSighting, at: string): FleetClusterStatus {
  const { silence, managed, credentials, uid = before.uid, version = before.version, acceptedUid } = sighting;
  const { operators = before.operators } = sighting;
  const expected = before.uid ?? sighting.expectedUid;
  const isReplaced = expected !== undefined && uid !== undefined && uid !== expected && acceptedUid !== uid;
  const found: FoundClusterCondition[] = [
    ...(sighting.isUnasked === true ? [] : [reachability(silence)]),
    ...(credentials === undefined ? [] : [validity(credentials)]),
    ...(uid === undefined ? [] : [identity(isReplaced, expected, uid)]),
    ...(managed === undefined ? [] : [management(managed)]),
    ...uniqueness(before, sighting.dispute),
  ];
  const known = before.conditions ?? [];
  const conditions = mergedConditions(
    known,
    found.map((one) => inWordsOf(known, one)),
    at,
  );
  const distribution = version === undefined ? undefined : distributionOf(version);
  const facts = factsAfter(before, distribution, isReplaced ? undefined : sighting.facts);
  const { credentialsExpireAt, credentialsRenewedFrom } =
    credentials === undefined
      ? before
      : { credentialsExpireAt: credentials.expiresAt, credentialsRenewedFrom: credentials.renewedFrom };
  const lastAnswerAt = sighting.isUnasked === true ? before.lastAnswerAt : lastAnswer(before, silence);
  const own = {
    ...{ uid: isReplaced ? before.uid : uid, version, credentialsExpireAt, credentialsRenewedFrom, lastAnswerAt },
    ...{ facts, operators, conditions },
  };
  const after = { ...before, ...own };
  const isSame =
    before.uid === after.uid &&
    before.version === version &&
    before.credentialsExpireAt === credentialsExpireAt &&
    before.credentialsRenewedFrom === credentialsRenewedFrom &&
    before.lastAnswerAt === lastAnswerAt &&
    before.facts === facts &&
    before.operators === operators &&
    conditions === known;
  return isSame ? before : after;
}

/** Returns the facts after a sighting. Returns the same object if nothing changed. */
function factsAfter({ facts: before }: FleetClusterStatus, distribution: string | undefined, found?: ClusterFacts) {
  const after = { ...before, ...(distribution === undefined ? {} : { distribution }), ...found };
  const isSame = Object.keys(after).every((name) => sameJson(after[name as 'distribution'], before?.[name]));
  return isSame ? before : after;
}

/**
 * Returns the status of a FleetCluster that is being deleted while the hub's finalizers remain in its
 * cluster. Returns the same object if nothing changed.
 */
export const leavingStatus = (before: FleetClusterStatus, message: string, at: string): FleetClusterStatus =>
  withoutManagement(before, { reason: 'Leaving', message }, at);

/** Returns the status of a FleetCluster that does not follow its schema: the same object if it says so. */
export const unreadableStatus = (before: FleetClusterStatus, problem: string, at: string): FleetClusterStatus =>
  withoutManagement(
    before,
    { reason: 'Unreadable', message: `${problem}. Nothing is written there until this is corrected` },
    at,
  );

function withoutManagement(
  before: FleetClusterStatus,
  cause: Pick<FoundClusterCondition, 'reason' | 'message'>,
  at: string,
): FleetClusterStatus {
  const known = before.conditions ?? [];
  const found: FoundClusterCondition = { type: 'Managed', status: 'False', ...cause };
  const conditions = mergedConditions(known, [found], at);
  return conditions === known ? before : { ...before, conditions };
}

/** True if the poller reported another manager of the cluster. The hub must not release anything there. */
export const isLeftToOthers = ({ conditions = [] }: FleetClusterStatus): boolean =>
  conditions.some(({ type, reason }) => type === 'Managed' && reason === 'LeftToOLM');

const reachability = (silence: ClusterSighting['silence']): FoundClusterCondition =>
  silence === undefined
    ? { type: 'Reachable', status: 'True', reason: 'Answering', message: '' }
    : { type: 'Reachable', status: 'False', reason: silence.reason, message: silence.message };

/** Returns the time of the last answer of a silent cluster. The first report of its silence names it. */
function lastAnswer({ conditions = [], ...before }: FleetClusterStatus, silence: ClusterSighting['silence']) {
  const isNoted = conditions.some(({ type, status }) => type === 'Reachable' && status === 'False');
  return isNoted && silence !== undefined ? before.lastAnswerAt : silence?.heardAt;
}

const validity = ({ fault, renewal }: CredentialsSighting): FoundClusterCondition =>
  fault === undefined
    ? { type: 'CredentialsValid', status: 'True', reason: renewal ? 'NotRenewed' : 'Valid', message: renewal ?? '' }
    : { type: 'CredentialsValid', status: 'False', ...fault };

const identity = (isReplaced: boolean, before: string | undefined, uid: string): FoundClusterCondition =>
  isReplaced
    ? {
        type: 'IdentityStable',
        status: 'False',
        reason: 'Changed',
        message: `another cluster answers: its kube-system has UID ${uid}, that of the fleet has ${before}`,
      }
    : { type: 'IdentityStable', status: 'True', reason: 'Same', message: '' };

/** Said only of clusters that have, or had, a conflict. */
function uniqueness(
  { conditions = [] }: FleetClusterStatus,
  dispute: ClusterSighting['dispute'],
): readonly FoundClusterCondition[] {
  const type = 'IdentityUnique';
  if (dispute === undefined) return [];
  if (dispute !== null) {
    const { isRefused, message } = dispute;
    return [{ type, status: 'False', reason: isRefused ? 'Refused' : 'Claimed', message }];
  }
  const isKnown = conditions.some((one) => one.type === type);
  return isKnown ? [{ type, status: 'True', reason: 'Unique', message: '' }] : [];
}

/** The UID of the cluster that answers under another one's name, as the condition names it. */
export function replacingUid({ conditions = [] }: FleetClusterStatus): string | undefined {
  const found = conditions.find(({ type, status }) => type === 'IdentityStable' && status === 'False');
  return / has UID (\S+), that /.exec(found?.message ?? '')?.[1];
}

function management({ acts, isPaused, because }: NonNullable<ClusterSighting['managed']>): FoundClusterCondition {
  if (!acts) return { type: 'Managed', status: 'False', reason: 'LeftToOLM', message: because };
  if (isPaused) return { type: 'Managed', status: 'False', reason: 'Paused', message: 'nothing is written there' };
  return { type: 'Managed', status: 'True', reason: 'Acting', message: '' };
}

/** Keeps the known message of a condition: the errors of an unreachable API server differ from try to try. */
function inWordsOf(known: readonly StoredCondition[], found: FoundClusterCondition): FoundClusterCondition {
  const { status, reason, message } = conditionOf(known, found.type) ?? {};
  const isSame = status === found.status && reason === found.reason && found.status !== 'True';
  return isSame ? { ...found, message: message ?? '' } : found;
}

/** Returns the distribution by the version of its API servers: `v1.34.1+k3s1`, `v1.33.5-eks-113cf36`. */
function distributionOf(version: string): string {
  const [, name] = /[+-](k3s|rke2|eks|gke|k0s|aks)/.exec(version) ?? [];
  return name ?? 'kubernetes';
}
