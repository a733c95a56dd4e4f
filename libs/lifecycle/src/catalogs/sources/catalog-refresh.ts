import { checkInterval, jittered, retryDelay, secretRetryDelay } from '#core/classic/catalog-source/catalog-pace';
import { type CatalogOrigin, originOf, pollSchedule } from '#core/classic/catalog-source/catalog-source-spec';
import { type CatalogState, isServing } from '#core/classic/catalog-source/catalog-source-status';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { isPaused, pausedDigest } from '#core/kernel/api/paused-catalog';
import { isAskedAgain, retryAskedAt } from '#core/kernel/api/retried-catalog';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import { kubernetesTime } from '#core/kernel/durations/kubernetes-time';
import type { Clock } from '#platform/clock/clock.port';
import type { Digest } from '#platform/content/content-store.port';
import { Demand } from '#platform/fairness/demand';
import { atDigest, parseImageReference } from '#platform/registry/client/image-reference';
import type { LoadedCatalog } from '../contents/catalog-contents.js';
import { RefreshLoop, type Trigger } from '../refresh-loop.js';
import type { Asking } from '../shared-loads.js';
import type { SourceAccess } from './cluster-access.js';
import { followSource } from './follow-source.js';
import { loadSource, type SourcePoll } from './load-source.js';
import type { SharedCatalogs } from './shared-catalogs.js';

type RefreshDeps = Readonly<{
  /** Cluster of the CatalogSource. */
  cluster: string;
  catalogs: SharedCatalogs;
  clock: Clock;
  /** Evenly from 0 up to 1: spreads the polls of many sources over time. */
  random: () => number;
  strict: boolean;
  access: SourceAccess;
  /**
   * Called after a change of state: the status must be written. `content`: the content for resolution changed
   * too.
   */
  onState: (source: CatalogSource, change: Readonly<{ content: boolean }>) => void;
}>;

type LoadingOrigin = Exclude<CatalogOrigin, { kind: 'invalid' }>;

/**
 * A fleet that starts together asks a registry once; a source that is recreated after a push gets the pushed
 * content.
 */
const AT_ONCE: Asking = { withinMs: 5_000, patient: false };

/** A paused source with the image that it held before this process started, as its status says. */
function pinned(source: CatalogSource): CatalogSource {
  const digest = isPaused(source) ? pausedDigest(source.status ?? {}) : undefined;
  const { image } = source.spec;
  if (digest === undefined || !image) return source;
  return { ...source, spec: { ...source.spec, image: atDigest(parseImageReference(image), digest as Digest).text } };
}

/** Returns the inputs of a load: if they stay the same, a running load is still the right one. */
const asked = (source: CatalogSource) => [originOf(source), source.spec.secrets ?? [], isPaused(source)];

/** Keeps the content of one CatalogSource fresh: loads, polls, retries, and reports its state. */
export class CatalogRefresh {
  state: CatalogState = {};
  loaded: LoadedCatalog | undefined;
  /** The first try has ended: until then no namespace should be resolved without this catalog. */
  settled = false;
  #source: CatalogSource;
  readonly #loop: RefreshLoop;
  #unfollow: () => void = () => undefined;
  #failures = 0;
  #lastTry = 0;

  constructor(
    source: CatalogSource,
    private readonly deps: RefreshDeps,
  ) {
    this.#source = source;
    this.#loop = new RefreshLoop(deps.clock, (trigger, signal) => this.#attempt(trigger, signal));
    this.#begin();
  }

  get source(): CatalogSource {
    return this.#source;
  }

  /** Returns the reason why resolution must not use this catalog. Undefined if it may. Worded as OLM does. */
  get failure(): string | undefined {
    const origin = originOf(this.#source);
    if (origin.kind !== 'invalid' && isServing(this.state, this.deps.strict)) return undefined;
    const { namespace, name } = this.#source.metadata;
    const why = origin.kind === 'invalid' ? origin.message : this.state.failure?.message;
    return `no registry client established for catalogsource ${namespace}/${name}${why ? `: ${why}` : ''}`;
  }

  update(source: CatalogSource): void {
    const before = this.#source;
    this.#source = source;
    if (this.#isAtRest) {
      this.#rest();
      return;
    }
    const resumed = isPaused(before) && !isPaused(source);
    const wanted = resumed || isAskedAgain(source, before);
    if (!wanted && canonicalJson(source.spec) === canonicalJson(before.spec)) return;
    if (canonicalJson(asked(source)) !== canonicalJson(asked(before))) this.#loop.giveUp();
    this.#begin();
  }

  /** Follows a pause: the content stays as it is, even if the spec changes. */
  #rest(): void {
    this.#loop.rest();
    this.#unfollow();
    this.#unfollow = () => undefined;
  }

  stop(): void {
    this.#loop.stop();
    this.#unfollow();
  }

  /** Begins with the current spec: follows the source that it names, and polls it at once. */
  #begin(): void {
    this.#unfollow();
    this.#unfollow = () => undefined;
    this.#failures = 0;
    const onNews = (version?: string) => {
      if (version === undefined || version !== this.state.configMap?.resourceVersion) this.#loop.ask();
    };
    try {
      this.#unfollow = followSource(this.#source, this.deps, onNews);
    } catch {
      // An invalid address: the poll reports it.
    }
    this.#loop.ask();
  }

  async #attempt(trigger: Trigger, signal: AbortSignal): Promise<number | undefined> {
    if (this.#isAtRest) return undefined;
    const before = this.loaded?.digest;
    const wasServing = this.failure === undefined && this.settled;
    const delay = await this.#poll(trigger === 'due' ? this.#asking() : AT_ONCE, signal);
    if (signal.aborted) return undefined;
    const first = !this.settled;
    this.settled = true;
    const content = first || before !== this.loaded?.digest || wasServing !== (this.failure === undefined);
    this.deps.onState(this.#source, { content });
    if (this.#isAtRest) this.#rest();
    return delay;
  }

  get #isAtRest(): boolean {
    return isPaused(this.#source) && this.loaded !== undefined;
  }

  /**
   * Returns the age that an answer may have. At the time of a poll or a retry, an answer that others got
   * since our last one is as good as a new one.
   */
  #asking(): Asking {
    const origin = originOf(this.#source);
    const every = origin.kind === 'invalid' ? undefined : checkInterval(this.#source, origin.kind);
    const sinceLastTry = this.#now() - this.#lastTry;
    const withinMs = this.state.failure !== undefined || every === undefined ? sinceLastTry : every / 2;
    return { withinMs, patient: true };
  }

  /** Polls the source. Returns the milliseconds until the next poll. Undefined if none is due. */
  async #poll(asking: Asking, signal: AbortSignal): Promise<number | undefined> {
    const source = this.#source;
    const origin = originOf(source);
    if (origin.kind === 'invalid') {
      this.state = {};
      this.loaded = undefined;
      return undefined;
    }
    this.#lastTry = this.#now();
    const askedAt = retryAskedAt(source, this.#lastTry);
    if (origin.kind === 'image' && askedAt !== undefined) this.deps.catalogs.tryAgain(origin.image, askedAt);
    const { deps } = this;
    const demand = Demand.of({ cluster: deps.cluster, namespace: source.metadata.namespace ?? '' }, signal);
    const now = () => deps.clock.now();
    const polled = await loadSource(pinned(source), { ...asking, demand }, { ...deps, now });
    return signal.aborted ? undefined : this.#learn(source, origin, polled);
  }

  #learn(source: CatalogSource, origin: LoadingOrigin, polled: SourcePoll): number | undefined {
    const configMap = polled.configMap ?? this.state.configMap;
    const known = origin.kind === 'configMap' && configMap !== undefined ? { configMap } : {};
    if ('value' in polled) {
      this.#succeeded(source, polled.value, polled.begunAt, known);
      const every = checkInterval(source, origin.kind);
      if (every === undefined) return undefined;
      const pause = this.#spread(every);
      // No longer than a pause, if the clock was set back since the poll began.
      return Math.min(pause, Math.max(0, polled.begunAt + pause - this.#now()));
    }
    return this.#failed(source, polled, known);
  }

  #succeeded(
    source: CatalogSource,
    loaded: LoadedCatalog,
    begunAt: number,
    known: Pick<CatalogState, 'configMap'>,
  ): void {
    const before = this.state.held;
    const since = kubernetesTime(this.deps.clock.now());
    const held = before?.digest === loaded.digest ? before : { digest: loaded.digest, since, content: loaded.content };
    this.loaded = loaded;
    this.#failures = 0;
    const polledAt = pollSchedule(source) === undefined ? {} : { polledAt: kubernetesTime(new Date(begunAt)) };
    const leftOut = loaded.leftOut === undefined ? {} : { leftOut: loaded.leftOut };
    this.state = { held, ...known, ...polledAt, ...leftOut };
  }

  #failed(
    source: CatalogSource,
    { error, reason, retryAt }: Extract<SourcePoll, { error: unknown }>,
    known: Pick<CatalogState, 'configMap'>,
  ): number {
    const now = this.#now();
    this.#failures += 1;
    const { random } = this.deps;
    const shared = retryAt === undefined ? undefined : Math.max(0, retryAt - now) + 1_000 * random();
    const delay = Math.min(shared ?? retryDelay(this.#failures, random()), secretRetryDelay(source, random()));
    const { failure: before, held, polledAt } = this.state;
    this.state = {
      ...(held === undefined ? {} : { held }),
      ...(polledAt === undefined ? {} : { polledAt }),
      ...known,
      failure: {
        reason,
        message: clipMessage(error instanceof Error ? error.message : String(error)),
        since: before?.since ?? kubernetesTime(new Date(now)),
        nextTry: kubernetesTime(new Date(now + delay)),
      },
    };
    return delay;
  }

  #spread(ms: number): number {
    return jittered(ms, this.deps.random());
  }

  #now(): number {
    return this.deps.clock.now().getTime();
  }
}
