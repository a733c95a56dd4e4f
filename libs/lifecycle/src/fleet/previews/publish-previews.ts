import { type DesiredClassic, previewPlace, withDesired } from '#core/fleet/desired/desired-classic';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import { type NamespaceSnapshot, observeNamespace } from '../../classic/observation/observe-namespace.js';
import { type PublishDeps, publishPreview } from '../../engine/publish-problem.js';

/**
 * Publishes the problem that a namespace would have with each operator that a fleet wants there and that is
 * not subscribed to yet. Nothing is written to the cluster.
 */
export async function publishPreviews(
  deps: PublishDeps<NamespaceProblems>,
  cluster: string,
  snapshot: NamespaceSnapshot,
  wanted: readonly DesiredClassic[],
): Promise<void> {
  const { namespace } = snapshot;
  for (const desired of wanted) {
    const { package: packageName } = desired.operator.spec;
    if (snapshot.subscriptions.some(({ spec }) => spec.name === packageName)) continue;
    const overlaid = withDesired(snapshot, desired);
    const observed = typeof overlaid === 'string' ? undefined : observeNamespace({ ...snapshot, ...overlaid });
    if (observed === undefined) continue;
    await publishPreview(deps, { cluster, namespace }, previewPlace(namespace, packageName), observed);
  }
}
