import { contextOption, shellWord } from '../../kernel/text/shell-word.js';

/** Annotation of namespace kube-system that says which hub manages the cluster (decision 0215). */
export const OWNER_ANNOTATION = 'flotilla.dev/hub';
/** What it says while OLM itself is to work there: every hub leaves the cluster alone. */
export const OWNED_BY_OLM = 'olm';

/** What a hub is called in the clusters that it manages. */
export type HubIdentity = Readonly<{
  id: string;
  /** What it was called before, such as with a key that was replaced. */
  older: readonly string[];
}>;

export type OwnerFacts = Readonly<{
  cluster: string;
  /** Undefined for a hub that could not keep an identity: it takes no cluster, and respects other hubs. */
  hub: HubIdentity | undefined;
  /** Annotations of namespace kube-system; undefined where it may not be read, or there is none. */
  annotations: Readonly<Record<string, string>> | undefined;
  /** Options by which commands reach the cluster. Default: its context. */
  access?: string | undefined;
}>;

/** Which hub manages a cluster, as this hub sees it. */
export type OwnerStatus =
  /** `isToBeWritten`: no hub manages the cluster, or this one does under an older identity. */
  | Readonly<{ acts: true; isToBeWritten: boolean }>
  /** `because` says who manages the cluster and how to go on. */
  | Readonly<{ acts: false; holder: string; because: string }>;

/** Two hubs that act on the same objects undo each other's work: the one that is not named does nothing. */
export function ownerStatus({ cluster, hub, annotations, access = contextOption(cluster) }: OwnerFacts): OwnerStatus {
  const holder = annotations?.[OWNER_ANNOTATION] ?? '';
  if (holder === '') return { acts: true, isToBeWritten: hub !== undefined && annotations !== undefined };
  if (holder === hub?.id) return { acts: true, isToBeWritten: false };
  if (hub?.older.includes(holder)) return { acts: true, isToBeWritten: true };
  return { acts: false, holder, because: because(`${shellWord(cluster)} ${access}`, hub, holder) };
}

function because(cluster: string, hub: HubIdentity | undefined, holder: string): string {
  if (holder === OWNED_BY_OLM) {
    return `it is handed over to OLM (annotation ${OWNER_ANNOTATION}=${OWNED_BY_OLM} of namespace kube-system); nothing is written. Back: "flotilla clusters handover ${cluster} --from olm"`;
  }
  const found = `hub ${holder} manages it (annotation ${OWNER_ANNOTATION} of namespace kube-system), and this one`;
  if (hub === undefined) return `${found} has no identity; nothing is written. Give this one FLOTILLA_HUB_ID`;
  const way = `If that hub is gone, or is to stop: "flotilla clusters take-over ${cluster} --hub-id ${hub.id}"`;
  return `${found} is ${hub.id}; nothing is written. ${way}`;
}
