import { BundleError } from '#core/catalog/bundle/bundle.error';
import { readInlineManifests } from '#core/catalog/bundle/inline-manifests';
import { installableObjects, leftOutOfInstall } from '#core/catalog/bundle/installable-objects';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import type { BundleSource } from '#core/classic/install-plan/creation/bundle-reference';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Owner } from '#core/kernel/fairness/owner';
import { perObject } from '#core/kernel/memo/per-object';
import { LONGEST_VERDICT, verdictLine } from '#core/kernel/verdict/verdict-line';
import type { ContentStore, Digest } from '#platform/content/content-store.port';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { PulledBundle } from '#platform/registry/bundle-image';
import type { BundlePulls, UnusableImage } from '#platform/registry/bundle-pulls';
import { atDigest, parseImageReference } from '#platform/registry/client/image-reference';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/**
 * Inline manifests of a catalog are held by the poller; here they are missing for now. The store fetches
 * them from the catalog again.
 */
class ContentNotHeld extends FlotillaError {
  readonly code = 'ContentNotHeld';
  readonly retry: Retry = 'backoff';
  constructor(bundle: string, digest: string) {
    super(
      `the manifests of ${bundle} (${digest}) are held neither by this process nor by the catalog poller: check that FLOTILLA_CONTENT_URL points at the poller, and that the catalog is READY`,
    );
  }
}

/**
 * The manifests of a bundle, and the source to read the very same again: its image by digest, or the digest
 * of its content.
 */
export type BundleContent = Readonly<{
  objects: readonly KubernetesObject[];
  source: BundleSource;
  /** Manifests that are left out, one line each. */
  leftOut: readonly string[];
}>;

/** OLM's words before the fault of a bundle (spec: subscriptions.md §2.7). */
export const UNPACKING_FAILED = 'Bundle unpacking failed - ';

/** Keeps a line short enough to follow the words of OLM in a condition. */
const verdict = (places: readonly string[], text: string): string =>
  verdictLine(places, text, LONGEST_VERDICT - UNPACKING_FAILED.length);

/**
 * A bundle with unusable content, and the reason in one line. Only another bundle helps, or the same one
 * pushed again if its registry lacks a part of it (`incomplete`).
 */
type UnusableContent = Readonly<{ unusable: string; incomplete?: true }>;

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
 * Fetches the objects of chosen bundles, in bundle order: from their images, or from the content store if
 * they are inline.
 */
export class BundleContents {
  constructor(
    private readonly pulls: BundlePulls,
    private readonly store: ContentStore,
    private readonly queue: JobQueue<SubjectJob>,
    private readonly log: Log,
  ) {}

  /** Returns all contents, in order. Rejects if one of them is not available now. */
  async contentsOf(
    sought: readonly SoughtBundle[],
    { client, read, patience, signal }: NamespaceStageInput,
  ): Promise<Readonly<{ contents: readonly (BundleContent | UnusableContent)[] }> | StillFetching> {
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

  async #inline(name: string, digest: string): Promise<BundleContent | UnusableContent> {
    const bytes = await this.store.get(digest as Digest);
    if (bytes === undefined) throw new ContentNotHeld(name, digest);
    const read = readInlineManifests(JSON.parse(new TextDecoder().decode(bytes)));
    if ('problem' in read) return { unusable: verdict([`bundle ${name} (in its catalog)`], read.problem) };
    return { objects: read.objects, source: { inline: digest }, leftOut: [] };
  }

  #wake({ cluster, namespace }: Owner): void {
    this.queue
      .add({ v: 1, cluster, namespace })
      .catch((err: unknown) =>
        this.log.warn(
          { cluster, namespace, err },
          'could not start a pass for fetched bundles; they wait for the next one',
        ),
      );
  }
}

type Pulled = PulledBundle | UnusableImage | undefined;

async function contentOf(name: string, image: string, pulled: Pulled): Promise<BundleContent | UnusableContent> {
  if (pulled === undefined) throw new Error(`image ${image} was requested but not pulled`);
  if ('unusable' in pulled) {
    const { message, retry } = pulled.unusable;
    return { unusable: verdict([`bundle ${name}`], message), ...(retry === 'backoff' && { incomplete: true }) };
  }
  const { digest, files } = pulled;
  const read = objectsOf(files);
  if ('problem' in read) {
    // A line has room for one of them, and the CSV mostly has the name of its bundle.
    const bundle = read.problem.includes(` ${name}: `) ? '' : `bundle ${name}`;
    return { unusable: verdict([bundle, `image ${image}`], read.problem) };
  }
  const { objects, leftOut } = read;
  return { objects, leftOut, source: { image: atDigest(parseImageReference(image), digest).text } };
}

type ReadObjects = Pick<BundleContent, 'objects' | 'leftOut'> | Readonly<{ problem: string }>;

/** The same files come for each cluster that installs the bundle. */
const objectsOf = perObject((files: readonly BundleFile[]): ReadObjects => {
  try {
    const bundle = readBundle(files);
    return { objects: installableObjects(bundle), leftOut: leftOutOfInstall(bundle) };
  } catch (error) {
    if (error instanceof BundleError) return { problem: error.message };
    throw error;
  }
});
