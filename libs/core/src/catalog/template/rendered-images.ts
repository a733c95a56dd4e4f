import { goQuote } from '../../kernel/versions/go-quote.js';
import type { CatalogBundle } from '../model/catalog.js';
import { TemplateError } from './template.error.js';

/**
 * The result of rendering a bundle image: its bundles, usually one, or the reason for none, as
 * `failed to pull image "i": …`.
 */
export type RenderedImage = Readonly<{ bundles: readonly CatalogBundle[] }> | Readonly<{ failure: Error }>;

/** Images by the reference in the template. */
export type RenderedImages = ReadonlyMap<string, RenderedImage>;

/**
 * Returns the bundles of an image. Throws {@link TemplateError} if the image is missing or could not be
 * rendered.
 */
export function bundlesOf(rendered: RenderedImages, image: string): readonly CatalogBundle[] {
  const found = rendered.get(image);
  if (found !== undefined && 'bundles' in found) return found.bundles;
  const name = goQuote(image);
  const why = found === undefined ? `failed to pull image ${name}: not found` : found.failure.message;
  throw new TemplateError(`render reference ${name}: ${why}`, '', found?.failure);
}
