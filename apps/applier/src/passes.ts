import type { ExtensionSubject, NamespaceSubject, ObjectSetSubject } from '#core/kernel/subject/subject';
import { reconcileNamespace } from '#lifecycle/classic/namespaces/reconcile-namespace';
import { stagesOf } from '#lifecycle/classic/namespaces/stages';
import { CACHED_KINDS } from '#lifecycle/engine/cached-kinds';
import type { ClusterViews } from '#lifecycle/engine/cluster-views';
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
    extension: (client, { extension: name }, signal) =>
      reconcileExtension(extension, { client, reads: client, name }, clock, signal),
    objectSet: (client, { objectSet: name }, signal) =>
      reconcileObjectSet(extension, { client, reads: client, name }, clock, signal),
  };
}

const CACHED = CACHED_KINDS.map(({ kind }) => kind);

function namespacePass({ hub, views, agreement }: PassesDeps): Pass<NamespaceSubject> {
  const { clock, problems, settings } = hub;
  const stages = stagesOf(hub, agreement);
  /** Read once per cluster: the distribution of a cluster does not change. */
  const globalNamespaces = new Map<string, string>();
  return async (client, { cluster, namespace }, signal) => {
    const globalCatalogNamespace = globalNamespaces.get(cluster) ?? (await globalCatalogNamespaceOf(client, settings));
    globalNamespaces.set(cluster, globalCatalogNamespace);
    const reads = await views.of(client).reads(await problems.getSeen(cluster, namespace, CACHED));
    const place = { client, reads, namespace, globalCatalogNamespace };
    return reconcileNamespace(place, stages, clock, signal);
  };
}
