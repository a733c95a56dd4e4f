import { BundleError } from '#core/catalog/bundle/bundle.error';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { BundleSource } from '#core/classic/install-plan/bundle-reference';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { pullBundle } from '#platform/registry/bundle-image';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { PullOptions, RegistryClient } from '#platform/registry/registry-client.port';
import type { ContentStore, Digest } from '#platform/store/content-store.port';

/** Inline manifests of a catalog are held by the poller; here they are not (yet). It refills itself from the catalog. */
export class ContentNotHeld extends FlotillaError {
  readonly code = 'ContentNotHeld';
  readonly retry: Retry = 'backoff';
  constructor(bundle: string, digest: string) {
    super(
      `the manifests of ${bundle} (${digest}) are not held by this process nor by the catalog poller: check that content-url points at the poller and that its catalog is READY`,
    );
  }
}

/** A bundle image whose content cannot be used: says which bundle and which image. */
export class UnusableBundle extends FlotillaError {
  readonly code = 'UnusableBundle';
  readonly retry: Retry = 'when-input-changes';
  constructor(bundle: string, image: string, cause: BundleError) {
    super(`bundle ${bundle} (image ${image}): ${cause.message}`, { cause });
  }
}

/** What a bundle brings, and where the very same can be had again: its image by digest, or the digest of its content. */
export type BundleContent = Readonly<{ objects: readonly KubernetesObject[]; source: BundleSource }>;

/** Fetches what a chosen bundle brings, in bundle order: from its image, or from the content store when it is inline. */
export class BundleContents {
  constructor(
    private readonly registry: RegistryClient,
    private readonly store: ContentStore,
  ) {}

  async contentOf(
    bundle: Readonly<{ name: string; source: BundleSource }>,
    options: PullOptions,
  ): Promise<BundleContent> {
    const { name, source } = bundle;
    if ('image' in source) {
      const { digest, files } = await pullBundle(this.registry, source.image, options);
      const pinned = atDigest(parseImageReference(source.image), digest).text;
      return { objects: readNamed(name, source.image, files), source: { image: pinned } };
    }
    const bytes = await this.store.get(source.inline as Digest);
    if (bytes === undefined) throw new ContentNotHeld(name, source.inline);
    const objects: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return { objects: KubernetesObject.array().parse(objects), source };
  }
}

function readNamed(bundle: string, image: string, files: readonly BundleFile[]): readonly KubernetesObject[] {
  try {
    return readBundle(files).objects;
  } catch (error) {
    throw error instanceof BundleError ? new UnusableBundle(bundle, image, error) : error;
  }
}
