import { cutText } from '../../kernel/text/cut-text.js';
import { contextOption, contextWordOf, shellWord } from '../../kernel/text/shell-word.js';
import { visibleText } from '../../kernel/text/visible-text.js';
import {
  INSTANCE_ANNOTATION,
  type InstanceStatus,
  instanceStatus,
  type OwnerMarks,
  QUESTION_ANNOTATION,
  type Twin,
} from './hub-instance.js';

/** Annotation of namespace kube-system that names the hub that manages the cluster (decision 0215). */
export const OWNER_ANNOTATION = 'flotilla.dev/hub';
/** Value of the annotation for a cluster that OLM itself manages. Every hub leaves such a cluster alone. */
export const OWNED_BY_OLM = 'olm';

/** The identity of a hub in the clusters that it manages. */
export type HubIdentity = Readonly<{
  id: string;
  /** Earlier identities of the hub, such as with a key that was replaced. */
  older: readonly string[];
}>;

type OwnerFacts = Readonly<{
  cluster: string;
  /** Undefined for a hub that could not store an identity. It takes no cluster, and respects other hubs. */
  hub: HubIdentity | undefined;
  /** Distinguishes hubs with one identity; undefined: they count as one. */
  instance?: string | undefined;
  now: Date;
  /** The time at which this process first read the current question of another instance. */
  questionSeenAt?: Date | undefined;
  /** Annotations of namespace kube-system. Undefined if the login may not read it, or it does not exist. */
  annotations: Readonly<Record<string, string>> | undefined;
  /** Options with which commands reach the cluster. Default: its context. */
  access?: string | undefined;
}>;

/**
 * The owner of a cluster, as this hub sees it. `marks`: annotations that this hub must write there first. If
 * `isAwaited`, a hub with the same identity waits for them.
 */
export type OwnerStatus = Readonly<{ marks?: OwnerMarks; isAwaited?: boolean }> &
  (
    | Readonly<{ acts: true; twin?: Twin }>
    /**
     * `because` names the owner of the cluster and the next step. `isAsked`: the owner is a hub with the same
     * identity, and may no longer exist.
     */
    | Readonly<{ acts: false; holder: string; because: string; againAfterMs?: number; isAsked?: boolean }>
  );

/**
 * Decides if this hub acts in a cluster. Two hubs that act on the same objects undo each other's work. A hub
 * that the cluster does not name does nothing.
 */
export function ownerStatus(facts: OwnerFacts): OwnerStatus {
  const { cluster, hub, instance, annotations, now, questionSeenAt, access = contextOption(cluster) } = facts;
  // A command that reads one file alone knows the cluster by the name of its context.
  const reached = `${contextWordOf(access) ?? shellWord(cluster)} ${access}`;
  const holder = annotations?.[OWNER_ANNOTATION] ?? '';
  if (annotations === undefined || (holder === '' && hub === undefined)) return { acts: true };
  if (holder === '') return { acts: true, marks: ownerMarks(hub?.id, instance) };
  const isOlder = hub?.older.includes(holder) === true;
  // A copy of a hub that got an identity of its own still has the key, and so the older one, of the other.
  const isOfCopy = isOlder && instance !== undefined && (annotations[INSTANCE_ANNOTATION] ?? instance) !== instance;
  if (hub === undefined || (holder !== hub.id && !isOlder) || isOfCopy) {
    return { acts: false, holder, because: because(reached, hub, holder) };
  }
  const status: InstanceStatus =
    instance === undefined ? { acts: true } : instanceStatus({ instance, annotations, now, questionSeenAt });
  if (status.acts) return isOlder ? { ...status, marks: { ...status.marks, [OWNER_ANNOTATION]: hub.id } } : status;
  const { answeredAt, ...rest } = status;
  return { ...rest, isAsked: answeredAt === undefined, because: becauseOfTwin(reached, hub.id, status) };
}

/** Returns the marks of a hub. If `id` is undefined, they remove the hub's name from the cluster. */
export const ownerMarks = (id: string | undefined, instance: string | undefined): OwnerMarks => ({
  [OWNER_ANNOTATION]: id ?? null,
  [INSTANCE_ANNOTATION]: instance ?? null,
  [QUESTION_ANNOTATION]: null,
});

/** Returns the acting hub's text about another hub with its identity. */
export const twinText = ({ instance, askedAt }: Twin): string =>
  `another hub with the same identity (instance ${named(instance)}) asked for the cluster at ${askedAt.toISOString()} and does not manage it: ${APART}`;

/** Longest name of a hub or an instance. */
const LONGEST_NAME = 63;

type TwinAtWork = Readonly<{ holder: string; answeredAt?: Date }>;

const APART = 'give one of the two hubs its own key or FLOTILLA_HUB_ID, or stop it';
const INSTANCE = `annotation ${INSTANCE_ANNOTATION} of namespace kube-system`;

/** Returns a name that users may have written, as one short line. */
const named = (text: string): string => visibleText(cutText(text, LONGEST_NAME).replace(/\s+/g, ' '));

function becauseOfTwin(cluster: string, id: string, { holder, answeredAt }: TwinAtWork): string {
  const found = `another hub with the same identity ${id} (instance ${named(holder)}, ${INSTANCE})`;
  if (answeredAt === undefined)
    return `${found} managed the cluster; this hub has asked it whether it still does. Nothing is written`;
  const said = `according to its answer to the question of ${answeredAt.toISOString()}`;
  const way = `This hub asks again every five minutes. If the other hub has stopped, take over now: "flotilla clusters take-over ${cluster} --hub-id ${id}"`;
  return `${found} manages the cluster, ${said}. Nothing is written: ${APART}. ${way}`;
}

function because(cluster: string, hub: HubIdentity | undefined, holder: string): string {
  if (holder === OWNED_BY_OLM) {
    return `the cluster is handed over to OLM (annotation ${OWNER_ANNOTATION}=${OWNED_BY_OLM} of namespace kube-system). Nothing is written. To take it back: "flotilla clusters handover ${cluster} --from olm"`;
  }
  const found = `hub ${named(holder)} manages the cluster (annotation ${OWNER_ANNOTATION} of namespace kube-system), and this hub`;
  if (hub === undefined) return `${found} has no identity. Nothing is written. Give this hub FLOTILLA_HUB_ID`;
  const way = `If that hub is gone or must stop: "flotilla clusters take-over ${cluster} --hub-id ${hub.id}"`;
  return `${found} is ${hub.id}. Nothing is written. ${way}`;
}
