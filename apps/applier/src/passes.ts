import type { ExtensionSubject, NamespaceSubject, ObjectSetSubject } from '#core/kernel/subject/subject';
import { reconcileNamespace } from '#lifecycle/classic/namespaces/reconcile-namespace';
import { stagesOf } from '#lifecycle/classic/namespaces/stages';
import { CACHED_KINDS } from '#lifecycle/engine/cached-kinds';
import type { ClusterViews } from '#lifecycle/engine/cluster-views';
import type { PollerAgreement } from '#lifecycle/engine/poller-agreement';
import { extensionDeps } from '#lifecycle/v1/extensions/extension-deps';
import { reconcileExtension, reconcileObjectSet } from '#lifecycle/v1/extensions/reconcile-extension';
import type { Hub } from '#platform/hub/hub';
import { globalCatalogNamespaceOf } from '#platform/hub/managed-clusters';
import type { KubeClient } from '#platform/kube/kube-client.port';

/** `answered`: the API server answered at least one request of the pass. */
export type PassOutcome = Readonly<{ rounds: number; againAfterMs?: number | undefined; answered: boolean }>;

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
  // A pass of OLM v1 reads from the API server in every round.
  return {
    namespace: namespacePass(deps),
    extension: async (client, subject, signal) => ({
      ...(await reconcileExtension(extension, client, subject.extension, clock, signal)),
      answered: true,
    }),
    objectSet: async (client, subject, signal) => ({
      ...(await reconcileObjectSet(extension, client, subject.objectSet, clock, signal)),
      answered: true,
    }),
  };
}

const CACHED = CACHED_KINDS.map(({ kind }) => kind);

function namespacePass({ hub, views, agreement }: PassesDeps): Pass<NamespaceSubject> {
  const { clock, log, problems, settings } = hub;
  const stages = stagesOf(hub, agreement);
  /** Read once per cluster: the distribution of a cluster does not change. */
  const globalNamespaces = new Map<string, string>();
  return async (client, { cluster, namespace }, signal) => {
    const globalCatalogNamespace = globalNamespaces.get(cluster) ?? (await globalCatalogNamespaceOf(client, settings));
    globalNamespaces.set(cluster, globalCatalogNamespace);
    const reads = await views.of(client).reads(await problems.getSeen(cluster, namespace, CACHED));
    const place = { client, reads, namespace, globalCatalogNamespace };
    const { rounds, againAfterMs, refused } = await reconcileNamespace(place, stages, clock, signal);
    if (refused !== undefined) log.warn({ cluster, namespace, error: refused.message }, 'the API server refused');
    // A pass that wrote nothing may have read the cache alone.
    return { rounds, againAfterMs, answered: rounds > 1 };
  };
}
