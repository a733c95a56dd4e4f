import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { extensionStatusOf, statusEvents } from '#core/v1/extension/report-extension';
import { OLM_FINALIZERS } from '#core/v1/revision/revision-keys';
import { hasSucceeded, isArchived } from '#core/v1/revision/revision-states';
import type { Clock } from '#platform/clock/clock.port';
import { Patience } from '#platform/fairness/patience';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { performActions } from '#platform/kube/perform-actions';
import { sooner } from '../../classic/namespaces/stage.js';
import { tenantOf } from '../../engine/tenant.js';
import type { ExtensionDeps } from './extension-deps.js';
import type { ExtensionPass } from './extension-pass.js';
import { followWish, type WishOutcome } from './follow-wish.js';
import { repairOwners } from './make-revision.js';
import { performOnOwn } from './perform-on-own.js';
import { type ExtensionRead, readExtension } from './read-extension.js';
import { readObjectSet } from './read-object-set.js';
import { reconcileRevisions } from './reconcile-revisions.js';

/** A rollout writes once or twice a phase; what still moves after so many rounds is somebody else's doing. */
const MAX_ROUNDS = 60;
const FIGHT_PAUSE_MS = 5_000;
/** What belongs to no extension is not watched: until it has rolled out, and after. */
const LONE_SET_MS = { unfinished: 2_000, finished: 30_000 } as const;

export type ReconcileOutcome = Readonly<{ rounds: number; againAfterMs?: number | undefined }>;

/** Does all that is next for one ClusterExtension. Remembers nothing: it may be killed anywhere and run again. */
export const reconcileExtension = (
  deps: ExtensionDeps,
  client: KubeClient,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<ReconcileOutcome> => reconcile({ deps, client, signal }, clock, (around) => lookAt(around, name));

/** Does all that is next for one ClusterObjectSet that belongs to no ClusterExtension; otherwise as {@link reconcileExtension}. */
export const reconcileObjectSet = (
  deps: ExtensionDeps,
  client: KubeClient,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<ReconcileOutcome> => reconcile({ deps, client, signal }, clock, (around) => lookAtSet(around, name));

async function reconcile(
  around: Omit<Around, 'now' | 'patience'>,
  clock: Clock,
  pass: (around: Around) => Promise<PassOutcome>,
): Promise<ReconcileOutcome> {
  const patience = new Patience();
  for (let rounds = 1; rounds <= MAX_ROUNDS; rounds += 1) {
    if (around.signal.aborted) return { rounds, againAfterMs: 0 };
    const { moved, againAfterMs } = await pass({ ...around, patience, now: clock.now() }).catch(startOver);
    if (!moved) return { rounds, againAfterMs };
  }
  return { rounds: MAX_ROUNDS, againAfterMs: FIGHT_PAUSE_MS };
}

/** Decision 0130: where the extension names a service account, its objects are written in that account's name. */
function writerOf(client: KubeClient, { extension }: ExtensionRead): KubeClient {
  const { namespace, serviceAccount } = extension.spec;
  return serviceAccount?.name ? tenantOf(client, { namespace, name: serviceAccount.name }) : client;
}

type PassOutcome = Readonly<{ moved: boolean; againAfterMs?: number | undefined }>;

type Around = Omit<ExtensionPass, 'read' | 'writer'>;

/** Somebody else wrote first: the next round reads anew. Everything else is the queue's to retry. */
function startOver(error: unknown): PassOutcome {
  if (!KubeApiError.is(error, 'Conflict')) throw error;
  return { moved: true };
}

async function lookAt(around: Around, name: string): Promise<PassOutcome> {
  const read = await readExtension(around.client, name, around.deps.systemNamespace);
  if (read === undefined) return { moved: false };
  return onePass({ ...around, read, writer: writerOf(around.client, read) });
}

/** Made by hand, or by another tool: rolled out and watched over in the same way, by time alone. */
async function lookAtSet(around: Around, name: string): Promise<PassOutcome> {
  const read = await readObjectSet(around.client, name, around.deps);
  const [set] = read?.revisions ?? [];
  if (read === undefined || set === undefined) return { moved: false };
  if (set.metadata.deletionTimestamp !== undefined) return letGo(around, [set]);
  // Its extension has just gone: it goes too, and nothing of it must be made again meanwhile.
  if (set.metadata.ownerReferences?.some(({ kind }) => kind === CLUSTER_EXTENSION_API.kind)) return { moved: false };
  const outcome = await reconcileRevisions({ ...around, read, writer: around.client });
  const pause = isArchived(set) || hasSucceeded(set) ? LONE_SET_MS.finished : LONE_SET_MS.unfinished;
  return { ...outcome, againAfterMs: sooner(outcome.againAfterMs, pause) };
}

async function onePass(pass: ExtensionPass): Promise<PassOutcome> {
  if (pass.read.extension.metadata.deletionTimestamp !== undefined) {
    return letGo(pass, [pass.read.extension, ...pass.read.revisions]);
  }
  await repairOwners(pass);
  const wish = await followWish(pass);
  if (wish.moved) return { moved: true };
  const revisions = await reconcileRevisions(pass);
  if (revisions.moved) return { moved: true };
  const written = await writeStatus(pass, wish);
  return { moved: written, againAfterMs: sooner(wish.againAfterMs, revisions.againAfterMs) };
}

/**
 * Everything belongs to the extension by owner references and goes with it. Finalizers that a real OLM v1 has put there
 * guard caches and watches of its own, which are not there any more.
 */
async function letGo(around: Around, objects: readonly KubernetesObject[]): Promise<PassOutcome> {
  const held = objects.flatMap((object) => {
    const { finalizers = [], name = '', resourceVersion } = object.metadata;
    const left = finalizers.filter((finalizer) => !OLM_FINALIZERS.includes(finalizer));
    if (left.length === finalizers.length) return [];
    const ref = { apiVersion: object.apiVersion, kind: object.kind, name };
    return [{ do: 'patch' as const, ref, patch: { metadata: { resourceVersion, finalizers: left } } }];
  });
  await performOnOwn(around, held);
  return { moved: false };
}

async function writeStatus(pass: ExtensionPass, wish: WishOutcome): Promise<boolean> {
  const { client, read, now, signal } = pass;
  const { extension, states } = read;
  if (wish.waiting) return false; // what the answer will say is not known, and must not be said to be unknown meanwhile
  const { trouble, deprecation, note } = wish;
  const status = extensionStatusOf(extension, { states, trouble, deprecation, note }, now);
  const known = () => extension;
  const object = { ...extension, ...CLUSTER_EXTENSION_API, status };
  const isOld = await performOnOwn(pass, [{ do: 'updateStatus', object }], { known });
  if (isOld) await performActions(client, statusEvents(extension, status), now, { signal });
  return isOld;
}
