import type { Catalog, CatalogBundle } from '#core/catalog/model/catalog';
import type { CatalogKey } from '#core/catalog/model/package-record';
import type { ChosenBundle } from '#core/classic/resolution/resolution-problem';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { UsageError } from '../io.js';
import { loadReference } from '../reference/load-reference.js';
import type { ManifestsByCsv } from './plan-steps.js';

/** Catalogs in sight with what they hold. */
export type CatalogsInSight = readonly Readonly<{ key: CatalogKey; content: Catalog }>[];

/** The blob of a chosen bundle, in the catalog it was chosen from. */
export function blobOf(chosen: ChosenBundle, catalogs: CatalogsInSight): CatalogBundle | undefined {
  const from = catalogs.find(({ key }) => key.name === chosen.catalog && key.namespace === chosen.catalogNamespace);
  return from?.content.bundles.find(
    ({ name, package: packageName }) => name === chosen.name && packageName === chosen.package,
  );
}

/** Manifests that lie in the catalogs themselves and, with `pull`, those of the bundle images. */
export async function manifestsOf(
  chosen: readonly ChosenBundle[],
  catalogs: CatalogsInSight,
  pull: boolean,
): Promise<ManifestsByCsv> {
  const found = await Promise.all(
    chosen.map(async (bundle) => {
      if ('image' in bundle.source) return pull ? ([[bundle.name, await pulled(bundle.source.image)]] as const) : [];
      const objects = blobOf(bundle, catalogs)?.objects ?? [];
      return [[bundle.name, objects.map((object) => KubernetesObject.parse(object))]] as const;
    }),
  );
  return new Map(found.flat());
}

async function pulled(image: string): Promise<readonly KubernetesObject[]> {
  const loaded = await loadReference(image);
  if (loaded.kind === 'bundle') return loaded.bundle.objects;
  throw new UsageError(`image ${image} is named as a bundle and holds a catalog: correct the catalog that names it`);
}
