import { BundleError } from '#core/catalog/bundle/bundle.error';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { BundleSource } from '#core/classic/install-plan/bundle-reference';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Owner } from '#core/kernel/fairness/owner';
import { perObject } from '#core/kernel/memo/per-object';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { PulledBundle } from '#platform/registry/bundle-image';
import type { BundlePulls } from '#platform/registry/bundle-pulls';
import { atDigest, parseImageReference } from '#platform/registry/image-reference';
import type { RegistryCredentials } from '#platform/registry/registry-client.port';
import type { ContentStore, Digest } from '#platform/store/content-store.port';
import type { Log } from '#platform/telemetry/log.port';
import type { NamespaceStageInput } from '../namespaces/stage.js';

/**
 * Inline manifests of a catalog are held by the poller; here they are missing for now. The store fetches
 * them from the catalog again.
 */
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

/**
 * The manifests of a bundle, and where the very same can be read again: its image by digest, or
 * the digest of its content.
 */
export type BundleContent = Readonly<{ objects: readonly KubernetesObject[]; source: BundleSource }>;

/** A bundle, and how to get it. `timeoutMs`: for the pull of its image; 0: as long as it takes. */
export type SoughtBundle = Readonly<{
  name: string;
  source: BundleSource;
  credentials: RegistryCredentials;
  timeoutMs: number;
}>;

/**
 * Names of the missing bundles. The pass ends without them; the namespace is put into the queue
 * again once they are there.
 */
export type StillFetching = Readonly<{ stillFetching: readonly string[] }>;

/** A safety net: the job that is enqueued once the bundles are there may get lost. */
export const FETCHED_AFTER_MS = 30_000;

/**
 * Fetches what chosen bundles bring, in bundle order: from their images, or from the content store where they
 * are inline.
 */
export class BundleContents {
  constructor(
    private readonly pulls: BundlePulls,
    private readonly store: ContentStore,
    private readonly queue: JobQueue<SubjectJob>,
    private readonly log: Log,
  ) {}

  /** All of them, in order. */
  async contentsOf(
    sought: readonly SoughtBundle[],
    { client, read, patience, signal }: NamespaceStageInput,
  ): Promise<Readonly<{ contents: readonly BundleContent[] }> | StillFetching> {
    const owner = { cluster: client.cluster, namespace: read.namespace };
    const images = sought.flatMap(({ source, credentials, timeoutMs }) =>
      'image' in source ? [{ image: source.image, credentials, timeoutMs }] : [],
    );
    const pulled = await this.pulls.pull(images, { owner, patience, signal, wake: () => this.#wake(owner) });
    if ('stillFetching' in pulled) return { stillFetching: sought.map(({ name }) => name) };
    const bundles = new Map(images.map(({ image }, at) => [image, pulled.bundles[at]]));
    const contents = sought.map(({ name, source }) =>
      'image' in source ? contentOf(name, source.image, bundles.get(source.image)) : this.#inline(name, source.inline),
    );
    return { contents: await Promise.all(contents) };
  }

  async #inline(name: string, digest: string): Promise<BundleContent> {
    const bytes = await this.store.get(digest as Digest);
    if (bytes === undefined) throw new ContentNotHeld(name, digest);
    const objects: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return { objects: KubernetesObject.array().parse(objects), source: { inline: digest } };
  }

  #wake({ cluster, namespace }: Owner): void {
    this.queue
      .add({ v: 1, cluster, namespace })
      .catch((err: unknown) => this.log.warn({ cluster, namespace, err }, 'fetched bundles wait for the next pass'));
  }
}

async function contentOf(name: string, image: string, pulled: PulledBundle | undefined): Promise<BundleContent> {
  if (pulled === undefined) throw new Error(`image ${image} was asked for and not pulled`);
  const { digest, files } = pulled;
  const pinned = atDigest(parseImageReference(image), digest).text;
  return { objects: readNamed(name, image, files), source: { image: pinned } };
}

/** The same files come for each cluster that installs the bundle. */
const objectsOf = perObject((files: readonly BundleFile[]) => readBundle(files).objects);

function readNamed(bundle: string, image: string, files: readonly BundleFile[]): readonly KubernetesObject[] {
  try {
    return objectsOf(files);
  } catch (error) {
    throw error instanceof BundleError ? new UnusableBundle(bundle, image, error) : error;
  }
}
