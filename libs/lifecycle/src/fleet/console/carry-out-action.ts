import {
  fleetWorkOfExtension,
  heldByFleet,
  type OrderedExtension,
  type OrderedPackage,
} from '#core/cluster/diagnosis/fleet-work';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { INSTALL_PLAN_API, InstallPlan } from '#core/kernel/api/install-plan';
import type { Subject } from '#core/kernel/subject/subject';
import { OWNER_NAME_LABEL, ROLLBACK_KEY } from '#core/v1/revision/revision-keys';
import type { ActionEnd, ActionTarget, ConsoleAction } from '#core/view/actions/console-action';
import { decideApproval, oneLine } from '#core/view/actions/decide-approval';
import { decidePlanRetry } from '#core/view/actions/decide-plan-retry';
import { type Place, placeOfPlan, type RightsDecision } from '#core/view/rights/rights';
import { WriteWithheld } from '#platform/joining/cluster-writes';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { recordEvent } from '#platform/kube/write/record-event';
import { movesOf, subscriptionsIn } from '../../rollouts/orders/classic/classic-subject.js';

/** The clients and reads for an action in one cluster. */
export type ActionPlace = Readonly<{
  client: KubeClient;
  globalCatalogNamespace: string;
  now: () => Date;
  /** Aborted when the action has taken too long. Nothing is written after the abort. */
  signal: AbortSignal;
  /** Called before each write. */
  note: () => void;
  /** Packages of a namespace for this cluster that the fleet has orders about. */
  ordered: (namespace: string) => Promise<readonly OrderedPackage[]>;
  /** ClusterExtensions in this cluster that the fleet has orders about. */
  orderedExtensions: () => Promise<readonly OrderedExtension[]>;
  /** Decides if the applier's own policy lets the user do it there. */
  decide: (verb: ConsoleAction['verb'], where: Place) => RightsDecision;
  /** Has the subject reconciled at once. */
  touch: (subject: Subject) => Promise<void>;
}>;

/** Carries an action out at one target. Expected refusals are values; errors: {@link endOfFailure}. */
export const carryOutAction = (place: ActionPlace, action: ConsoleAction, target: ActionTarget): Promise<ActionEnd> =>
  VERBS[action.verb](place, action, target);

type Verb = (place: ActionPlace, action: ConsoleAction, target: ActionTarget) => Promise<ActionEnd>;

const TOO_LATE: ActionEnd = { outcome: 'away', message: 'the cluster took too long to answer; nothing was written' };
const CONFLICT = 'it changed in the same moment; nothing was written';

/** Returns the end of an action that the policy does not allow; undefined if it does. */
function forbidden({ decide }: ActionPlace, verb: ConsoleAction['verb'], where: Place): ActionEnd | undefined {
  const decision = decide(verb, where);
  return decision.allowed ? undefined : { outcome: 'refused', message: `the applier's policy: ${decision.because}` };
}

/** A plan that is gone moves nothing. */
const placeOf = (
  { cluster, namespace }: ActionTarget,
  plan: InstallPlan | undefined,
  packages: readonly string[],
): Place => (plan === undefined ? { cluster, namespace } : placeOfPlan(cluster, namespace, packages));

/** Returns the meaning of an error of {@link carryOutAction}. `sent`: a write was on its way. */
export function endOfFailure(error: unknown, sent: boolean): ActionEnd {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof WriteWithheld) return { outcome: 'refused', message };
  if (!KubeApiError.is(error)) return { outcome: 'failed', message };
  if (error.reason === 'Conflict') return { outcome: 'changed-meanwhile', message: CONFLICT };
  if (error.answered) return { outcome: 'refused', message: error.said };
  return sent
    ? {
        outcome: 'unknown',
        message: `the write was sent but not answered (${message}); see the row for the result`,
      }
    : { outcome: 'away', message };
}

async function approve(place: ActionPlace, action: ConsoleAction, target: ActionTarget): Promise<ActionEnd> {
  const { client, now, signal } = place;
  const { packages, ...facts } = await planFacts(place, target);
  const refusal = forbidden(place, 'approve', placeOf(target, facts.plan, packages));
  if (refusal !== undefined) return refusal;
  const decision = decideApproval({ ...facts, ordered: await place.ordered(target.namespace) }, action);
  if ('end' in decision) return decision.end;
  if (signal.aborted) return TOO_LATE;
  place.note();
  await client.patch(refOf(target), decision.patch);
  const comment = action.comment === undefined ? '' : `: ${oneLine(action.comment)}`;
  const about = { ...refOf(target), uid: facts.plan?.metadata.uid };
  const message = `approved by ${action.by} in the console${comment}`;
  // An approved action is carried out, even if the Event is not written.
  await recordEvent(
    client,
    { do: 'emitEvent', about, type: 'Normal', reason: 'Approved', message },
    { component: 'flotilla-console' },
    now(),
  ).catch(() => undefined);
  return { outcome: 'done', message: 'approved' };
}

async function retry(place: ActionPlace, action: ConsoleAction, target: ActionTarget): Promise<ActionEnd> {
  const { client, touch, signal } = place;
  const { cluster, namespace } = target;
  const { packages, ...facts } = await planFacts(place, target);
  const refusal = forbidden(place, 'retry', placeOf(target, facts.plan, packages));
  if (refusal !== undefined) return refusal;
  const decision = decidePlanRetry(facts, action);
  if (signal.aborted) return TOO_LATE;
  if ('patch' in decision) {
    place.note();
    await client.patch(refOf(target), decision.patch);
  } else if (decision.end.outcome !== 'done') return decision.end;
  await touch({ cluster, namespace });
  return 'end' in decision ? decision.end : { outcome: 'done', message: 'the InstallPlan is recreated' };
}

async function rollBack(
  place: ActionPlace,
  action: ConsoleAction,
  { cluster, name }: ActionTarget,
): Promise<ActionEnd> {
  const { client, touch, signal } = place;
  const ref = { ...CLUSTER_EXTENSION_API, name };
  const found = await client.get(ref);
  if (found === undefined) return { outcome: 'changed-meanwhile', message: 'the ClusterExtension is gone' };
  const extension = ClusterExtension.safeParse(found).data;
  if (extension === undefined) return { outcome: 'failed', message: 'the ClusterExtension has fields of another form' };
  const wanted = { package: extension.spec.source.catalog?.packageName ?? '', namespace: extension.spec.namespace };
  const refusal = forbidden(place, 'roll-back', { cluster, namespace: '', packages: [wanted.package] });
  if (refusal !== undefined) return refusal;
  const held = fleetWorkOfExtension({ ...wanted, metadata: extension.metadata }, await place.orderedExtensions());
  if (held !== undefined) return { outcome: 'refused', message: heldByFleet(held) };
  if (action.revision === undefined) return { outcome: 'refused', message: 'no revision is named' };
  if (!(await isRevisionKept(client, name, action.revision)))
    return { outcome: 'changed-meanwhile', message: `revision ${action.revision} no longer exists` };
  if (signal.aborted) return TOO_LATE;
  place.note();
  const { resourceVersion } = extension.metadata;
  await client.patch(ref, {
    metadata: { resourceVersion, annotations: { [ROLLBACK_KEY]: String(action.revision) } },
  });
  await touch({ cluster, extension: name });
  return { outcome: 'done', message: `held at the content of revision ${action.revision}` };
}

const VERBS: Readonly<Record<ConsoleAction['verb'], Verb>> = { approve, retry, 'roll-back': rollBack };

async function isRevisionKept(client: KubeClient, extension: string, revision: number): Promise<boolean> {
  const list = await client.list(CLUSTER_OBJECT_SET_API, { labelSelector: `${OWNER_NAME_LABEL}=${extension}` });
  return (list?.items ?? []).some(
    (item) => ClusterObjectSet.safeParse({ ...item, ...CLUSTER_OBJECT_SET_API }).data?.spec.revision === revision,
  );
}

const refOf = ({ namespace, name }: ActionTarget) => ({ ...INSTALL_PLAN_API, name, namespace });

async function planFacts({ client, globalCatalogNamespace }: ActionPlace, target: ActionTarget) {
  const plan = InstallPlan.safeParse(await client.get(refOf(target))).data;
  const subscriptions = await subscriptionsIn(client, target.namespace);
  const moves = movesOf(plan, subscriptions);
  const moved = new Set(moves.map(({ subscription }) => subscription));
  const packages = subscriptions.flatMap(({ metadata, spec }) => (moved.has(metadata.name ?? '') ? [spec.name] : []));
  return { plan, subscriptions, moves, packages, globalCatalogNamespace };
}
