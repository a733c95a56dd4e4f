import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Lanes, Run } from '../fairness/lanes.js';
import { LastingWork, type Waiting } from '../fairness/lasting-work.js';
import { type PulledBundle, pullBundle } from './bundle-image.js';
import { parseImageReference } from './client/image-reference.js';
import { RecentImages } from './client/recent-images.js';
import { type RegistryClient, type RegistryCredentials, RegistryError } from './client/registry-client.port.js';

/** Worded like the failed Job of OLM that it stands for (spec: install-plans.md §4). */
class UnpackTimeout extends FlotillaError {
  readonly code = 'UnpackTimeout';
  readonly retry: Retry = 'backoff';
  constructor(timeoutMs: number) {
    super(
      `DeadlineExceeded: the bundles were not fetched within ${timeoutMs / 1_000} s. Check the registry, or allow more time with the annotation operatorframework.io/bundle-unpack-timeout of the OperatorGroup`,
    );
  }
}

/** A bundle image, and how to get it. `timeoutMs`: from its turn on; 0: as long as it takes. */
type WantedBundle = Readonly<{ image: string; credentials: RegistryCredentials; timeoutMs: number }>;

/** An image that is not a bundle, or is incomplete in the registry: only its publisher can help. */
export type UnusableImage = Readonly<{ unusable: RegistryError }>;

/** The bundles, in the order in which they were asked for, or the images that are still being fetched. */
type BundlesOrWait =
  | Readonly<{ bundles: readonly (PulledBundle | UnusableImage)[] }>
  | Readonly<{ stillFetching: readonly string[] }>;

/** Bundles that were fetched and not yet used by the pass that asked for them, in all. */
const MAX_HELD_BYTES = 64 * 2 ** 20;
/** Bundles that the next clusters are likely to want. Parsed, one takes several times its bytes. */
const RECENT = { maxBytes: 8 * 2 ** 20, keptMs: 30_000 };

/**
 * Pulls bundle images in fair turns over clusters and namespaces. A pull continues when the pass that asked
 * for it has ended.
 */
export class BundlePulls {
  readonly #work: LastingWork<PulledBundle | UnusableImage>;
  readonly #recent = new RecentImages(RECENT);

  constructor(
    private readonly registry: RegistryClient,
    lanes: Pick<Lanes, 'run'>,
  ) {
    this.#work = new LastingWork({ lanes, sizeOf, maxHeldBytes: MAX_HELD_BYTES });
  }

  /** Makes pulls without turns, for a command: it pulls for its user alone. */
  static withoutTurns(registry: RegistryClient): BundlePulls {
    return new BundlePulls(registry, { run: (_demand, start) => start().done });
  }

  /** Rejects with the first failure that is no fault of an image. */
  async pull(wanted: readonly WantedBundle[], waiting: Waiting): Promise<BundlesOrWait> {
    const work = wanted.map((one) => ({ key: this.#keyOf(one), start: () => this.#start(one) }));
    const bundles = await this.#work.take(work, waiting);
    return bundles === undefined ? { stillFetching: wanted.map(({ image }) => image) } : { bundles };
  }

  /** Ends all pulls. */
  stop(): void {
    this.#work.stop();
  }

  #keyOf({ image, credentials, timeoutMs }: WantedBundle): string {
    return `${isReference(image) ? this.registry.access(image, { credentials }) : ''} ${image} ${timeoutMs}`;
  }

  #start({ image, credentials, timeoutMs }: WantedBundle): Run<PulledBundle | UnusableImage> {
    const end = new AbortController();
    const timer =
      timeoutMs === 0 ? undefined : setTimeout(() => end.abort(new UnpackTimeout(timeoutMs)), timeoutMs).unref();
    const done = pullBundle(this.registry, image, { credentials, signal: end.signal, recent: this.#recent })
      .catch(unusableImage)
      .finally(() => clearTimeout(timer));
    return { done, end: () => end.abort() };
  }
}

const sizeOf = (bundle: PulledBundle | UnusableImage): number =>
  'unusable' in bundle ? 0 : bundle.files.reduce((sum, { bytes }) => sum + bytes.length, 0);

function unusableImage(error: unknown): UnusableImage {
  if (error instanceof RegistryError && (error.isOfContent || error.failure === 'InvalidReference'))
    return { unusable: error };
  throw error;
}

/** True if the text is a reference. It comes from a catalog: its fault is found when the image is pulled. */
function isReference(image: string): boolean {
  try {
    parseImageReference(image);
    return true;
  } catch {
    return false;
  }
}
