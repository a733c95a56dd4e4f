import type { Catalog, CatalogBundle } from '../model/catalog.js';
import { bundlesOf, type RenderedImages } from './rendered-images.js';
import { TemplateError } from './template.error.js';
import { catalogOf, readEntries } from './template-entries.js';

/** A catalog of bundles that are images still to be rendered (spec: file-based-catalogs.md §6.1). */
export type BasicTemplate = Readonly<{ type: 'basic'; catalog: Catalog }>;

/** Reads a basic template. Throws {@link TemplateError}. */
export function parseBasicTemplate(text: string): BasicTemplate {
  const { entries } = readEntries(text, 'olm.template.basic', () => undefined);
  return { type: 'basic', catalog: catalogOf(entries) };
}

/** Returns the images in the order of the template. */
export const imagesOfBasic = ({ catalog }: BasicTemplate): string[] => catalog.bundles.map(({ image }) => image);

/**
 * Returns the template's entries, with each bundle replaced by the bundles of its image. Nothing is
 * validated. Throws {@link TemplateError}.
 */
export function renderBasicTemplate({ catalog }: BasicTemplate, rendered: RenderedImages): Catalog {
  const bundles = catalog.bundles.flatMap((bundle) => {
    if (!isImageOnly(bundle)) {
      throw new TemplateError(
        'unexpected fields present in basic template bundle',
        `write {schema: olm.bundle, image: <image>} and no other field, here for ${bundle.image || bundle.name || 'a bundle without image'}`,
      );
    }
    return bundlesOf(rendered, bundle.image);
  });
  return { ...catalog, bundles };
}

/**
 * True if the bundle has only an image. A name next to the image is accepted; the rendered bundle brings its
 * own.
 */
const isImageOnly = (bundle: CatalogBundle): boolean =>
  bundle.image !== '' && bundle.package === '' && bundle.properties.length === 0 && bundle.relatedImages.length === 0;
