import { BundleError } from '#core/catalog/bundle/bundle.error';
import { type InlineManifests, readInlineManifests } from '#core/catalog/bundle/inline-manifests';
import { installableObjects } from '#core/catalog/bundle/installable-objects';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import type { CatalogKey } from '#core/catalog/model/package-record';
import { foreseenFailures } from '#core/classic/csv/foreseen-failures';
import { csvOf } from '#core/classic/install-plan/creation/bundle-steps';
import { bundleRefusal } from '#core/classic/install-plan/execution/refuse-unsupported';
import { CSV_KIND } from '#core/classic/install-plan/steps/install-plan-step';
import type { ChosenBundle } from '#core/classic/resolution/problem/resolution-problem';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { verdictLine } from '#core/kernel/verdict/verdict-line';
import { RegistryError } from '#platform/registry/client/registry-client.port';
import { bundleFiles } from '../inputs/bundle-files.js';
import type { ManifestsByCsv } from './plan-steps.js';

/** The catalogs visible to a namespace, with their content. */
export type CatalogsInSight = readonly Readonly<{ key: CatalogKey; content: Catalog }>[];

/** The blob of a chosen bundle, in the catalog it was chosen from. */
export function blobOf(chosen: ChosenBundle, catalogs: CatalogsInSight): CatalogBundle | undefined {
  const from = catalogs.find(({ key }) => key.name === chosen.catalog && key.namespace === chosen.catalogNamespace);
  return from?.content.bundles.find(
    ({ name, package: packageName }) => name === chosen.name && packageName === chosen.package,
  );
}

/** Advice for a bundle that is itself at fault. */
export const OTHER_BUNDLE = 'Ask the publisher of the bundle, or name another version or channel.';

/**
 * Returns the hub's refusal of a bundle whose manifests lie in its catalog. Returns undefined for an image.
 */
export function inlineFault(chosen: ChosenBundle, catalogs: CatalogsInSight): string | undefined {
  if ('image' in chosen.source) return undefined;
  const read = readInlineManifests(objectsOf(chosen, catalogs));
  if ('problem' in read) return verdictLine([`bundle ${chosen.name} (in its catalog)`], read.problem);
  return bundleFault(chosen, read.objects);
}

/** Returns the reason to install nothing of a bundle in any cluster; undefined if there is none. */
export function bundleFault(
  { name, source }: Pick<ChosenBundle, 'name' | 'source'>,
  objects: readonly KubernetesObject[],
): string | undefined {
  const csv = csvOf(objects, 'image' in source ? source.image : undefined);
  return 'problem' in csv ? csv.problem : bundleRefusal(name, objects);
}

/**
 * Returns the failure at the end of an install of a bundle in every cluster. Returns undefined if none is
 * known.
 */
export function installFault(name: string, objects: readonly KubernetesObject[]): string | undefined {
  const csv = objects.find(({ kind }) => kind === CSV_KIND);
  const [failure] = csv === undefined ? [] : foreseenFailures(csv);
  return failure && verdictLine([`bundle ${name}`], failure);
}

/** Known manifests by CSV name, and the reasons why those of other bundles cannot be used. */
export type FoundManifests = Readonly<{
  manifests: ManifestsByCsv;
  unusable: ReadonlyMap<string, string>;
}>;

/** Manifests that lie in the catalogs themselves and, with `pull`, those of the bundle images. */
export async function manifestsOf(
  chosen: readonly ChosenBundle[],
  catalogs: CatalogsInSight,
  pull: boolean,
): Promise<FoundManifests> {
  const manifests = new Map<string, readonly KubernetesObject[]>();
  const unusable = new Map<string, string>();
  for (const bundle of chosen) {
    const { name, source } = bundle;
    if ('image' in source && !pull) continue;
    const read = 'image' in source ? await pulled(source.image) : readInlineManifests(objectsOf(bundle, catalogs));
    if ('objects' in read) manifests.set(name, read.objects);
    else
      unusable.set(name, verdictLine([`bundle ${name}${'image' in source ? '' : ' (in its catalog)'}`], read.problem));
  }
  return { manifests, unusable };
}

const objectsOf = (bundle: ChosenBundle, catalogs: CatalogsInSight) => blobOf(bundle, catalogs)?.objects ?? [];

/** The manifests of a bundle image, read as the hub reads them: no label is needed. */
async function pulled(image: string): Promise<InlineManifests> {
  try {
    return { objects: installableObjects(readBundle(await bundleFiles(image))) };
  } catch (error) {
    if (error instanceof RegistryError && error.isOfContent) return { problem: verdictLine([], error.message) };
    if (!(error instanceof BundleError)) throw error;
    return { problem: verdictLine([`image ${image}`], error.message) };
  }
}
