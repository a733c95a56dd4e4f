import type { CatalogBundle } from '#core/catalog/model/catalog';
import { counted } from '#core/kernel/text/counted';
import { inParallel } from '#platform/fairness/in-parallel';

/** Number of images that are requested at once. */
const AT_ONCE = 8;

/** The origin of an image's name: one bundle of perhaps several. */
type NamedImage = Readonly<{ image: string; package: string; bundle: string }>;

/**
 * An image that could not be confirmed: its registry does not have it, or did not say so. A registry that
 * cannot be reached is not asked again: `notAsked` counts its further images.
 */
export type ImageFailure = NamedImage & Readonly<{ kind: 'missing' | 'unknown'; message: string; notAsked: number }>;

/** The images of bundles, each with the first bundle that names it. */
export class NamedImages {
  readonly #images = new Map<string, NamedImage>();

  take(bundle: CatalogBundle): void {
    for (const image of [bundle.image, ...bundle.relatedImages.map((related) => related.image)]) {
      if (image === '' || this.#images.has(image)) continue;
      this.#images.set(image, { image, package: bundle.package, bundle: bundle.name });
    }
  }

  get all(): readonly NamedImage[] {
    return [...this.#images.values()];
  }
}

/**
 * Asks the registries for each image, with the logins of this machine. Images that they have are left out of
 * the answer.
 */
export async function imageFailures(images: readonly NamedImage[]): Promise<ImageFailure[]> {
  const { commandRegistryClient, logins } = await import('../../../inputs/registry-access.js');
  const { parseImageReference } = await import('#platform/registry/client/image-reference');
  const { RegistryError } = await import('#platform/registry/client/registry-client.port');
  const client = await commandRegistryClient();
  const unreachable = new Map<string, { notAsked: number }>();
  const failures = await inParallel(images, AT_ONCE, async (named) => {
    try {
      const { host } = parseImageReference(named.image);
      const known = unreachable.get(host);
      if (known) known.notAsked += 1;
      else await client.resolve(named.image, { credentials: await logins(named.image) });
      return undefined;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const kind = error.failure === 'NotFound' ? ('missing' as const) : ('unknown' as const);
      const failure = { ...named, kind, message: error.message, notAsked: 0 };
      if (error.failure === 'Unreachable') unreachable.set(parseImageReference(named.image).host, failure);
      return failure;
    }
  });
  return failures.filter((failure) => failure !== undefined);
}

/** One line on an image for the person at the keyboard. */
export function imageLine({ package: owner, bundle, message, notAsked }: ImageFailure): string {
  const more =
    notAsked === 0
      ? ''
      : `; ${counted(notAsked, 'more image of that registry was', 'more images of that registry were')} not asked for`;
  return `package "${owner}" bundle "${bundle}": ${message}${more}\n`;
}
