import type { PackageRecord } from '#core/catalog/model/package-record';
import { type DesiredClassic, previewPlace } from '#core/rollout/desired/desired-classic';
import { beginningWith } from '#core/rollout/desired/first-bundle';
import {
  hasPlanMade,
  isAsked,
  previewedNamespace,
  previewedWith,
  subscriptionFor,
} from '#core/rollout/desired/previewed-namespace';
import type { NamespaceProblems } from '#platform/store/problem-store.port';
import {
  type NamespaceSnapshot,
  observeNamespace,
  type SeenCatalog,
} from '../../classic/observation/observe-namespace.js';
import { type PublishDeps, publishPreview } from '../../engine/publishing/publish-problem.js';
import { publishLostProblem } from './publish-lost-problem.js';
import type { WantedOperator } from './wanted-operators.js';

/**
 * Publishes the problem that a namespace would have with each operator that a fleet wants there, if it
 * differs from the namespace's own. It differs if the operator has no Subscription or another channel, or if
 * its catalog already has other content. If a plan waits for approval already, the problem asks for the hops
 * after it. Nothing is written to the cluster.
 */
export async function publishPreviews(
  deps: PublishDeps<NamespaceProblems>,
  cluster: string,
  snapshot: NamespaceSnapshot,
  wanted: readonly WantedOperator[],
): Promise<void> {
  const { namespace } = snapshot;
  await publishLostProblem(deps, cluster, snapshot, wanted);
  for (const one of wanted) {
    const wants = previewedWith(snapshot, one.desired);
    const { package: packageName } = wants.operator.spec;
    const catalogs = catalogsWith(snapshot.catalogs, { ...one, desired: wants });
    const hasOtherContent = catalogs !== snapshot.catalogs;
    const isSame = isAsked(snapshot, wants) && !hasOtherContent;
    if (isSame && !hasPlanMade(snapshot, wants)) continue;
    const desired = beginningWith(wants, snapshot, recordIn(catalogs, wants));
    const overlaid = previewedNamespace(snapshot, desired, hasOtherContent);
    if (typeof overlaid === 'string') continue;
    const path = subscriptionFor(overlaid, desired)?.metadata.name;
    const observed = observeNamespace({ ...snapshot, ...overlaid, catalogs }, path);
    if (observed === undefined) continue;
    await publishPreview(deps, { cluster, namespace }, previewPlace(namespace, packageName), observed);
  }
}

/** Returns the package in the catalog that the install comes from. */
function recordIn(catalogs: readonly SeenCatalog[], { subscription }: DesiredClassic): PackageRecord | undefined {
  const { name, source, sourceNamespace } = subscription.spec;
  const found = catalogs.find(
    ({ source: { metadata } }) => metadata.name === source && metadata.namespace === sourceNamespace,
  );
  return found?.loaded?.index.package(name)?.record;
}

/** The catalogs of the namespace, with the new content if the fleet gives one of them other content. */
function catalogsWith(live: readonly SeenCatalog[], { desired, content }: WantedOperator): readonly SeenCatalog[] {
  const { catalogSource } = desired;
  if (catalogSource === undefined || content === undefined) return live;
  const isIt = ({ source: { metadata } }: SeenCatalog) =>
    metadata.name === catalogSource.metadata.name && metadata.namespace === catalogSource.metadata.namespace;
  if (live.some((one) => isIt(one) && one.source.spec.image === catalogSource.spec.image)) return live;
  const { failure, loaded, settled } = content;
  return [...live.filter((one) => !isIt(one)), { source: catalogSource, failure, loaded, settled }];
}
