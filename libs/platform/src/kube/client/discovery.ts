import { z } from 'zod';
import { TransportError } from '../transport/transport.error.js';
import { type KindRef, KubeApiError } from './kube-client.port.js';
import { groupVersionPath, type ServedResource } from './resource-path.js';
import { unavailableApi } from './unavailable-api.js';

const ApiResourceList = z.looseObject({
  resources: z
    .array(z.looseObject({ name: z.string(), kind: z.string(), namespaced: z.boolean() }))
    .nullable()
    .optional(),
});

type Kinds = ReadonlyMap<string, ServedResource>;

/** Clusters of one version answer the same: their kinds are held once in the process, by the answer. */
const SHARED_KINDS = new Map<string, Kinds>();
/** Most shared answers. A cluster with other answers replaces the oldest answer. */
const MOST_SHARED = 128;
const LONGEST_SHARED = 64 * 1024;

type Known = Readonly<{ kinds: Kinds; readAt: number }>;
type Unavailable = Readonly<{ error: KubeApiError; until: number }>;

/** Time for which `fresh` lookups trust earlier answers. */
const FRESH_MS = 30_000;
/**
 * How long an API that failed is not asked again, at least: a backend that hangs costs
 * at most half of the time.
 */
const SHORTEST_UNAVAILABLE_MS = 1_000;

/**
 * Kinds that a cluster serves, read per group and version when first asked for. They are read again whenever
 * a kind is missing: CRDs may be created at any time.
 */
export class Discovery {
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<Known>>();
  readonly #unavailable = new Map<string, Unavailable>();

  constructor(
    /** Returns the body of a GET, or undefined if the server answers 404. */
    private readonly read: (path: string) => Promise<string | undefined>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Returns the kind as it is served. Returns undefined if a fresh discovery does not find it.
   * @throws KubeApiError of reason APIUnavailable if the backend of an aggregated API does not answer
   */
  async find(kind: KindRef): Promise<ServedResource | undefined> {
    const cached = this.#known.get(kind.apiVersion)?.kinds.get(kind.kind);
    return cached ?? (await this.#refresh(kind.apiVersion)).kinds.get(kind.kind);
  }

  /**
   * Finds the kind as {@link find}, but does not trust a yes that is older than half a minute either: CRDs
   * may also be deleted.
   */
  async findFresh(kind: KindRef): Promise<ServedResource | undefined> {
    const known = this.#known.get(kind.apiVersion);
    if (known !== undefined && this.now() - known.readAt > FRESH_MS) this.forget(kind.apiVersion);
    return this.find(kind);
  }

  /** Makes the next lookup in this group and version ask the server. Forgets all groups if none is named. */
  forget(apiVersion?: string): void {
    if (apiVersion === undefined) this.#known.clear();
    else this.#known.delete(apiVersion);
  }

  /** Forgets all versions of a group: one of its CRDs has changed. */
  forgetGroup(group: string): void {
    for (const apiVersion of this.#known.keys()) if (apiVersion.startsWith(`${group}/`)) this.forget(apiVersion);
  }

  /**
   * Returns the error of a failed request. Returns a more precise one if the backend of an aggregated API
   * does not answer, as opposed to a failing API server.
   */
  async explain(error: unknown, apiVersion: string): Promise<unknown> {
    return (await unavailableApi(error, apiVersion, this.read)) ?? error;
  }

  #refresh(apiVersion: string): Promise<Known> {
    const running = this.#reading.get(apiVersion);
    if (running !== undefined) return running;
    const reading = this.#load(apiVersion).finally(() => this.#reading.delete(apiVersion));
    this.#reading.set(apiVersion, reading);
    return reading;
  }

  async #load(apiVersion: string): Promise<Known> {
    const readAt = this.now();
    const unavailable = this.#unavailable.get(apiVersion);
    if (unavailable !== undefined && readAt < unavailable.until) throw unavailable.error;
    this.#unavailable.delete(apiVersion);
    const body = await this.read(groupVersionPath(apiVersion)).catch((error: unknown) =>
      this.#noteFailure(error, apiVersion, readAt),
    );
    const kinds = body === undefined ? new Map<string, ServedResource>() : sharedKinds(apiVersion, body);
    const known = { kinds, readAt };
    if (kinds.size > 0) this.#known.set(apiVersion, known);
    else this.#known.delete(apiVersion);
    return known;
  }

  async #noteFailure(error: unknown, apiVersion: string, askedAt: number): Promise<never> {
    const failed = await this.explain(error, apiVersion);
    if (KubeApiError.is(failed, 'APIUnavailable')) {
      const now = this.now();
      const until = now + Math.max(SHORTEST_UNAVAILABLE_MS, now - askedAt);
      this.#unavailable.set(apiVersion, { error: failed, until });
    }
    throw failed;
  }
}

function sharedKinds(apiVersion: string, body: string): Kinds {
  const key = `${apiVersion} ${body}`;
  const known = SHARED_KINDS.get(key);
  if (known !== undefined) return known;
  const kinds = kindsIn(apiVersion, body);
  const [oldest] = SHARED_KINDS.keys();
  if (SHARED_KINDS.size >= MOST_SHARED && oldest !== undefined) SHARED_KINDS.delete(oldest);
  if (body.length <= LONGEST_SHARED) SHARED_KINDS.set(key, kinds);
  return kinds;
}

function kindsIn(apiVersion: string, body: string): Kinds {
  const kinds = new Map<string, ServedResource>();
  for (const { name, kind, namespaced } of parse(body).resources ?? []) {
    // `deployments/status`, `serviceaccounts/token`: subresources are not kinds of their own.
    if (!name.includes('/')) kinds.set(kind, { apiVersion, kind, plural: name, namespaced });
  }
  return kinds;
}

function parse(body: string): z.infer<typeof ApiResourceList> {
  try {
    return ApiResourceList.parse(JSON.parse(body));
  } catch {
    throw new TransportError('lost', 'the answer is not a list of resources');
  }
}
