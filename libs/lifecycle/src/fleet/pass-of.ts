import { type NamespaceSubject, type Subject, subjectName } from '#core/kernel/subject/subject';
import { globalNamespaces } from '#platform/clusters/managed-clusters';
import type { Hub } from '#platform/hub/hub';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { reconcileNamespace } from '../classic/namespaces/reconcile-namespace.js';
import { stagesOf } from '../classic/stages.js';
import { CACHED_KINDS } from '../engine/caches/cached-kinds.js';
import { DEFINITION } from '../engine/caches/recent-definitions.js';
import type { ClusterViews } from '../engine/membership/cluster-views.js';
import type { ClusterReads } from '../engine/passes/pass-reader.js';
import type { PollerAgreement } from '../engine/passes/poller-agreement.js';
import type { PassOutcome } from '../engine/passes/reconcile-loop.js';
import { extensionDeps } from '../v1/extensions/extension-deps.js';
import { reconcileExtension, reconcileObjectSet } from '../v1/reconcile-extension.js';

/** Does all that is next for one subject in the cluster of `client`. */
export type Pass<S extends Subject> = (client: KubeClient, subject: S, signal: AbortSignal) => Promise<PassOutcome>;

type PassDeps = Readonly<{ hub: Hub; views: ClusterViews; agreement: PollerAgreement }>;

/** The pass of a subject of any kind. */
export function passOf(deps: PassDeps): Pass<Subject> {
  const { clock } = deps.hub;
  const namespace = namespacePass(deps);
  const extension = extensionDeps(deps.hub);
  return async (client, subject, signal) => {
    if ('namespace' in subject) return namespace(client, subject, signal);
    const reads = await readsOf(deps, client, subject);
    if ('extension' in subject) {
      return reconcileExtension(extension, { client, reads, name: subject.extension }, clock, signal);
    }
    return reconcileObjectSet(extension, { client, reads, name: subject.objectSet }, clock, signal);
  };
}

/** Kinds that a pass reads and must know the age of: a read may be stale. */
const READ_KINDS = [...CACHED_KINDS.map(({ kind }) => kind), DEFINITION];

/**
 * Returns the cache of the cluster, as far as it has reached the state that the poller had seen of the
 * subject.
 */
async function readsOf({ hub, views }: PassDeps, client: KubeClient, subject: Subject): Promise<ClusterReads> {
  const seen = await hub.problems.getSeen(subject.cluster, subjectName(subject), READ_KINDS);
  return views.of(client).reads(seen);
}

function namespacePass(deps: PassDeps): Pass<NamespaceSubject> {
  const { hub, agreement } = deps;
  const { clock, settings } = hub;
  const stages = stagesOf(hub, agreement);
  const globalNamespaceOf = globalNamespaces(settings);
  return async (client, subject, signal) => {
    const { namespace } = subject;
    const globalCatalogNamespace = await globalNamespaceOf(client);
    const reads = await readsOf(deps, client, subject);
    const place = { client, reads, namespace, globalCatalogNamespace };
    return reconcileNamespace(place, stages, clock, signal);
  };
}
