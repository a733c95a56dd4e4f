import type { CatalogBundle } from '#core/catalog/catalog';
import { inParallel } from '../in-parallel.js';
import { UsageError } from '../io.js';

/** How many images are asked for at once. */
const AT_ONCE = 8;

/** Who names an image: one bundle of perhaps several. */
export type NamedImage = Readonly<{ image: string; package: string; bundle: string }>;

/** An image that could not be confirmed: its registry does not have it, or could not be asked. */
export type ImageFailure = NamedImage & Readonly<{ kind: 'missing' | 'unknown'; message: string }>;

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

/** Asks the registries for each image, with the logins of this machine; what they have is left out of the answer. */
export async function imageFailures(images: readonly NamedImage[]): Promise<ImageFailure[]> {
  const { HttpRegistryClient } = await import('#platform/registry/http-registry-client');
  const { localCredentials } = await import('#platform/registry/local-credentials');
  const { RegistryError } = await import('#platform/registry/registry-client.port');
  const client = new HttpRegistryClient();
  const failures = await inParallel(images, AT_ONCE, async (named): Promise<ImageFailure | undefined> => {
    const credentials = await localCredentials(named.image).catch((error: unknown) => {
      throw error instanceof Error ? new UsageError(error.message) : error;
    });
    try {
      await client.resolve(named.image, { credentials });
      return undefined;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const kind = error.failure === 'NotFound' ? 'missing' : 'unknown';
      return { ...named, kind, message: error.message };
    }
  });
  return failures.filter((failure) => failure !== undefined);
}

/** One line on an image for the person at the keyboard. */
export const imageLine = ({ image, package: owner, bundle, kind, message }: ImageFailure): string =>
  `package "${owner}" bundle "${bundle}": image ${image} ${kind === 'missing' ? 'does not exist' : 'could not be looked for'}: ${message}\n`;
