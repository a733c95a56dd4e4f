import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import type { ExtensionSubject } from '#core/kernel/subject/subject';
import {
  asLabelled,
  type DesiredV1,
  extensionNameIn,
  extensionOver,
  previewOfExtension,
  versionAsked,
} from '#core/rollout/desired/desired-v1';
import type { FeatureGates } from '#core/v1/extension/package-content';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import type { CatalogInSight } from '../../catalogs/cluster-catalogs/served-catalogs.js';
import { type PublishDeps, publishPreview } from '../../engine/publishing/publish-problem.js';
import type { CatalogPackages } from '../../v1/observation/catalog-packages.js';
import { observeExtension } from '../../v1/observation/observe-extension.js';
import type { FleetContents } from './fleet-contents.js';

/** The parts of a cluster that the preview of a ClusterExtension depends on. */
type SeenForPreview = Readonly<{
  /** Undefined if there is none of that name. */
  extension: ClusterExtension | undefined;
  revisions: readonly ClusterObjectSet[];
  catalogs: readonly CatalogInSight[];
  packages: CatalogPackages;
  gates: FeatureGates;
}>;

/**
 * Publishes the problem that a ClusterExtension would have with the objects that a fleet wants, and with the
 * present content of its FleetCatalog. Nothing is written to the cluster.
 */
export async function publishExtensionPreview(
  deps: PublishDeps<ExtensionProblems>,
  subject: ExtensionSubject,
  { extension, revisions, catalogs, packages, gates }: SeenForPreview,
  wanted: DesiredV1,
  contents: Pick<FleetContents, 'of'>,
): Promise<void> {
  const overlaid = extensionOver(extension, wanted, versionAsked(wanted));
  const all = catalogsWith(catalogs, wanted, contents);
  const observed = await observeExtension(overlaid, revisions, all, packages, gates);
  if (observed === undefined) return;
  await publishPreview(deps, subject, previewOfExtension(subject.extension), observed);
}

/** The catalogs of the cluster, with the content that the fleet gives one of them, if that is another. */
function catalogsWith(
  live: readonly CatalogInSight[],
  { clusterCatalog }: DesiredV1,
  contents: Pick<FleetContents, 'of'>,
): readonly CatalogInSight[] {
  if (clusterCatalog === undefined) return live;
  const { name } = clusterCatalog.metadata;
  const known = live.find(({ catalog }) => catalog.metadata.name === name);
  const isSame = known?.catalog.spec.source.image?.ref === clusterCatalog.spec.source.image?.ref;
  if (isSame && known?.served !== undefined) return live;
  const wanted = asLabelled({
    ...clusterCatalog,
    metadata: { ...clusterCatalog.metadata, labels: known?.catalog.metadata.labels },
    spec: { ...known?.catalog.spec, ...clusterCatalog.spec },
  });
  return [...live.filter((one) => one !== known), contents.of(wanted)];
}

/**
 * Returns the desired extensions of a cluster by the names that its ClusterExtensions have there, or will
 * have.
 */
export const namedExtensions =
  (wanted: () => readonly DesiredV1[]) =>
  (all: readonly ClusterExtension[]): ReadonlyMap<string, DesiredV1> =>
    new Map(wanted().map((desired) => [extensionNameIn(all, desired), desired]));
