import {
  type ExtensionSubject,
  type NamespaceSubject,
  type ObjectSetSubject,
  type Subject,
  subjectName,
} from '#core/kernel/subject/subject';
import { reconcileNamespace } from '#lifecycle/classic/namespaces/reconcile-namespace';
import { stagesOf } from '#lifecycle/classic/namespaces/stages';
import { CACHED_KINDS } from '#lifecycle/engine/cached-kinds';
import type { ClusterViews } from '#lifecycle/engine/cluster-views';
import type { ClusterReads } from '#lifecycle/engine/pass-reader';
import type { PollerAgreement } from '#lifecycle/engine/poller-agreement';
import type { PassOutcome } from '#lifecycle/engine/reconcile-loop';
import { extensionDeps } from '#lifecycle/v1/extensions/extension-deps';
import { reconcileExtension, reconcileObjectSet } from '#lifecycle/v1/extensions/reconcile-extension';
import type { Hub } from '#platform/hub/hub';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import type { KubeClient } from '#platform/kube/kube-client.port';

/** Does all that is next for one subject in the cluster of `client`. */
export type Pass<S> = (client: KubeClient, subject: S, signal: AbortSignal) => Promise<PassOutcome>;

/** The pass of each kind of subject. */
export type Passes = Readonly<{
  namespace: Pass<NamespaceSubject>;
  extension: Pass<ExtensionSubject>;
  objectSet: Pass<ObjectSetSubject>;
}>;

/** Injection token of {@link Passes}. */
export const PASSES = Symbol('passes');

export type PassesDeps = Readonly<{ hub: Hub; views: ClusterViews; agreement: PollerAgreement }>;

export function passesOf(deps: PassesDeps): Passes {
  const { clock } = deps.hub;
  const extension = extensionDeps(deps.hub);
  return {
    namespace: namespacePass(deps),
    extension: async (client, subject, signal) => {
      const place = { client, reads: await readsOf(deps, client, subject), name: subject.extension };
      return reconcileExtension(extension, place, clock, signal);
    },
    objectSet: async (client, subject, signal) => {
      const place = { client, reads: await readsOf(deps, client, subject), name: subject.objectSet };
      return reconcileObjectSet(extension, place, clock, signal);
    },
  };
}

const CACHED = CACHED_KINDS.map(({ kind }) => kind);

/** The cache of the cluster, as far as it has reached what the poller had seen of the subject. */
async function readsOf({ hub, views }: PassesDeps, client: KubeClient, subject: Subject): Promise<ClusterReads> {
  const seen = await hub.problems.getSeen(subject.cluster, subjectName(subject), CACHED);
  return views.of(client).reads(seen);
}

function namespacePass(deps: PassesDeps): Pass<NamespaceSubject> {
  const { hub, agreement } = deps;
  const { clock, settings } = hub;
  const stages = stagesOf(hub, agreement);
  /** Read once per cluster: the distribution of a cluster does not change. */
  const globalNamespaces = new Map<string, string>();
  return async (client, subject, signal) => {
    const { cluster, namespace } = subject;
    const globalCatalogNamespace = globalNamespaces.get(cluster) ?? (await globalCatalogNamespaceOf(client, settings));
    globalNamespaces.set(cluster, globalCatalogNamespace);
    const reads = await readsOf(deps, client, subject);
    const place = { client, reads, namespace, globalCatalogNamespace };
    return reconcileNamespace(place, stages, clock, signal);
  };
}
