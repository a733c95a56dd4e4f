import { z } from 'zod';
import type { FleetEventName } from '../../kernel/api/fleet/fleet-notification.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { conditionOf } from '../../kernel/conditions/condition-list.js';

/** The object that a fact is about. Filters of a FleetNotification see its labels and namespace. */
type FactSubject = Readonly<{
  kind: 'FleetOperator' | 'FleetCatalog' | 'FleetCluster';
  namespace?: string | undefined;
  name: string;
  labels: Readonly<Record<string, string>>;
}>;

/** A fact that is true now and worth a message. `key`: its identity, the same as long as it stays true. */
export type FleetFact = Readonly<{
  key: string;
  event: FleetEventName;
  subject: FactSubject;
  message: string;
  at: string;
  /** Path of the page in the web console. */
  path: string;
}>;

/** Objects of the hub API that facts come from, as they were read. */
export type NotedObjects = Readonly<
  Record<'FleetRollout' | 'FleetOperator' | 'FleetCatalog' | 'FleetCluster', readonly KubernetesObject[]>
>;

/** A login is reported so long before it ends. */
const LOGIN_ENDS_WITHIN_MS = 7 * 24 * 3_600_000;

const Condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().catch(''),
  message: z.string().catch(''),
  lastTransitionTime: z.string().catch(''),
});
const Conditions = z.array(Condition).catch([]);
const WithConditions = z.looseObject({ conditions: Conditions });
const SeenTime = z.iso.datetime({ offset: true }).optional().catch(undefined);
const OfCluster = z.looseObject({
  credentialsExpireAt: SeenTime,
  credentialsRenewedFrom: SeenTime,
  conditions: Conditions,
});
const SeenWave = z.looseObject({
  name: z.string(),
  phase: z.string().catch(''),
  redGate: z.string().optional().catch(undefined),
  counts: z.looseObject({ failed: z.number().catch(0) }).catch({ failed: 0 }),
});
const OfRollout = z.looseObject({
  spec: z.looseObject({
    subject: z.looseObject({ kind: z.enum(['FleetOperator', 'FleetCatalog']), name: z.string() }),
    target: z.looseObject({ bundle: z.string() }),
  }),
  status: z.looseObject({
    phase: z.string(),
    reason: z.string().catch(''),
    wave: z.string().catch(''),
    waves: z.array(SeenWave).catch([]),
    classes: z.array(z.looseObject({ hash: z.string(), approval: z.string().catch('') })).catch([]),
    failures: z.array(z.looseObject({ reason: z.string().catch(''), cause: z.string().catch('') })).catch([]),
    conditions: Conditions,
    startedAt: z.string().optional(),
    phaseSince: z.string().optional(),
    movedAt: z.string().optional(),
    finishedAt: z.string().optional(),
  }),
});
type SeenRollout = z.infer<typeof OfRollout>;

/** Returns all facts that are true now. An object that cannot be read has none. */
export function fleetFacts(objects: NotedObjects, now: number): FleetFact[] {
  const labels = new Map(
    [...objects.FleetOperator, ...objects.FleetCatalog].map((object) => [
      placeOf(object),
      object.metadata.labels ?? {},
    ]),
  );
  return [
    ...objects.FleetRollout.flatMap((object) => rolloutFacts(object, labels)),
    ...objects.FleetCluster.flatMap((object) => clusterFacts(object, now)),
    ...objects.FleetCatalog.flatMap(catalogFacts),
    ...objects.FleetOperator.flatMap(operatorFacts),
  ];
}

const placeOf = ({ kind, metadata: { namespace = '', name = '' } }: KubernetesObject): string =>
  `${kind}/${namespace}/${name}`;
const uidOf = ({ metadata: { uid, name } }: KubernetesObject): string => uid ?? name ?? '';
const isTime = (text: string | undefined): text is string => text !== undefined && !Number.isNaN(Date.parse(text));
const firstTime = (...times: readonly (string | undefined)[]): string =>
  times.find(isTime) ?? new Date(0).toISOString();

type Found = Pick<FleetFact, 'event' | 'message' | 'at'> & Readonly<{ mark?: string | undefined }>;

function rolloutFacts(
  object: KubernetesObject,
  labels: ReadonlyMap<string, Readonly<Record<string, string>>>,
): FleetFact[] {
  const rollout = OfRollout.safeParse(object).data;
  if (rollout === undefined) return [];
  const { namespace = '', name = '' } = object.metadata;
  const { kind, name: subject } = rollout.spec.subject;
  const about = `rollout ${name} to ${rollout.spec.target.bundle}`;
  const of = { kind, namespace, name: subject, labels: labels.get(`${kind}/${namespace}/${subject}`) ?? {} };
  const path = `/rollouts/${encodeURIComponent(`${namespace}/${name}`)}`;
  return [...phaseFacts(rollout), ...approvalFacts(rollout), ...gateFacts(rollout), ...windowFacts(rollout)].map(
    ({ event, message, at, mark = '' }) => ({
      ...{ key: `${uidOf(object)} ${event} ${mark}`, event, subject: of, message: `${about}: ${message}`, at, path },
    }),
  );
}

const PHASE_EVENTS: Readonly<Record<string, FleetEventName>> = {
  Halted: 'Halted',
  RollingBack: 'RolledBack',
  RolledBack: 'RolledBack',
  Completed: 'Completed',
};

function phaseFacts({ status }: SeenRollout): Found[] {
  const { phase, reason, finishedAt, phaseSince, movedAt, startedAt } = status;
  const event = PHASE_EVENTS[phase];
  if (event === undefined) return [];
  const moving = conditionOf(status.conditions, 'Progressing');
  const details = phase === 'Halted' && moving?.message ? moving.message : reason;
  const at = firstTime(finishedAt, phaseSince, movedAt, startedAt);
  return [{ event, message: `${phase}: ${details}`, at, mark: `${phase} ${phaseSince ?? ''}` }];
}

const isOver = ({ status: { phase } }: SeenRollout): boolean =>
  ['Completed', 'RolledBack', 'Aborted', 'Superseded'].includes(phase);

function approvalFacts(rollout: SeenRollout): Found[] {
  if (isOver(rollout)) return [];
  const { classes, movedAt, startedAt } = rollout.status;
  return classes
    .filter(({ approval }) => approval === 'Waiting')
    .map(({ hash }) => ({
      event: 'WaitsForApproval',
      message: `class ${hash.slice(0, 12)} waits for an approval`,
      at: firstTime(movedAt, startedAt),
      mark: hash,
    }));
}

const GATE_REASONS: ReadonlySet<string> = new Set(['GateRed', 'GateTimeout']);

/** Red gates have one fact for each wave: that of a later wave is a new event. */
function gateFacts(rollout: SeenRollout): Found[] {
  const { reason: stop, waves, failures, movedAt, startedAt } = rollout.status;
  const pair = (name: string, reason: string, cause: string, of: string) =>
    [`${name} ${reason} ${of}`, gateText(name, reason, cause)] as const;
  const stopped = GATE_REASONS.has(stop) ? [pair(stoppedIn(rollout), stop, '', '')] : [];
  const red = waves.flatMap(({ name, redGate }) =>
    redGate === undefined || isOver(rollout) ? [] : [pair(name, 'GateRed', redGate, '')],
  );
  const ofClusters = failures
    .filter(({ reason }) => GATE_REASONS.has(reason))
    .flatMap(({ reason, cause }) =>
      waves.filter(({ counts }) => counts.failed > 0).map(({ name }) => pair(name, reason, cause, `clusters ${cause}`)),
    );
  const at = firstTime(movedAt, startedAt);
  const found = new Map([...ofClusters, ...stopped, ...red]);
  return [...found].map(([mark, message]) => ({ event: 'GateRed', message, at, mark }));
}

function gateText(wave: string, reason: string, cause: string): string {
  const place = wave === '' ? '' : ` in wave ${wave}`;
  return `${reason}${place}${cause === '' ? '' : `: ${cause}`}`;
}

/** Returns the wave that stopped a rollout. Those before it may go back too, and are current then. */
function stoppedIn({ status: { waves, wave } }: SeenRollout): string {
  const back = waves.findLast(({ phase }) => phase === 'RollingBack' || phase === 'RolledBack');
  return back?.name ?? wave.slice(wave.indexOf(' ') + 1);
}

const HELD_BY_WINDOWS: ReadonlySet<string> = new Set(['Window', 'Frozen']);

function windowFacts(rollout: SeenRollout): Found[] {
  const moving = conditionOf(rollout.status.conditions, 'Progressing');
  if (isOver(rollout) || moving?.status !== 'False' || !HELD_BY_WINDOWS.has(moving.reason)) return [];
  const message = `a FleetWindow holds it: ${moving.message}`;
  return [{ event: 'WindowHolds', message, at: firstTime(moving.lastTransitionTime), mark: moving.reason }];
}

/** Returns the fact of a condition that has the status of trouble. */
function conditionFact(
  object: KubernetesObject,
  [type, trouble, event]: readonly [string, 'True' | 'False', FleetEventName],
  path: string,
): FleetFact[] {
  const found = conditionOf(WithConditions.safeParse(object['status']).data?.conditions, type);
  if (found?.status !== trouble) return [];
  const at = firstTime(found.lastTransitionTime);
  const message = [found.reason, found.message].filter((text) => text !== '').join(': ');
  return [{ key: `${uidOf(object)} ${event} ${type} ${at}`, event, subject: subjectOf(object), message, at, path }];
}

function subjectOf({ kind, metadata: { namespace, name = '', labels = {} } }: KubernetesObject): FactSubject {
  return { kind: kind as FactSubject['kind'], namespace, name, labels };
}

function clusterFacts(object: KubernetesObject, now: number): FleetFact[] {
  const path = `/clusters/${encodeURIComponent(object.metadata.name ?? '')}`;
  return [
    ...conditionFact(object, ['Reachable', 'False', 'ClusterUnreachable'], path),
    ...conditionFact(object, ['CredentialsValid', 'False', 'LoginEnds'], path),
    ...loginFacts(object, now, path),
  ];
}

/**
 * Returns the fact of a login that still works. One that the hub renews is reported if that fails. The end is
 * no part of the identity: another login that ends as soon is no second event.
 */
function loginFacts(object: KubernetesObject, now: number, path: string): FleetFact[] {
  const login = OfCluster.safeParse(object['status']).data;
  if (login === undefined) return [];
  const { credentialsExpireAt: end, credentialsRenewedFrom: renewedFrom, conditions } = login;
  const common = { event: 'LoginEnds', subject: subjectOf(object), path } as const;
  const valid = conditionOf(conditions, 'CredentialsValid');
  if (valid?.status === 'True' && valid.reason === 'NotRenewed') {
    const at = firstTime(renewedFrom, valid.lastTransitionTime);
    return [{ ...common, key: `${uidOf(object)} LoginEnds NotRenewed`, message: `NotRenewed: ${valid.message}`, at }];
  }
  if (end === undefined || renewedFrom !== undefined || Date.parse(end) - LOGIN_ENDS_WITHIN_MS > now) return [];
  const message = `the login of the hub ends at ${end}: renew it`;
  const at = new Date(Date.parse(end) - LOGIN_ENDS_WITHIN_MS).toISOString();
  return [{ ...common, key: `${uidOf(object)} LoginEnds`, message, at }];
}

const catalogFacts = (object: KubernetesObject): FleetFact[] =>
  conditionFact(object, ['Ready', 'False', 'CatalogBroken'], '/catalogs');

const operatorFacts = (object: KubernetesObject): FleetFact[] =>
  conditionFact(object, ['Drifted', 'True', 'Drift'], '/rollouts');
