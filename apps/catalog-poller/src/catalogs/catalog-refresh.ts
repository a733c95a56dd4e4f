import type { CatalogSource } from '#core/api/catalog-source';
import { canonicalJson } from '#core/canonical/canonical-json';
import { originOf, pollSchedule } from '#core/catalog-source/catalog-source-spec';
import { type CatalogState, isServing } from '#core/catalog-source/catalog-source-status';
import type { Clock } from '#platform/clock/clock.port';
import { GrpcCatalogClient } from '#platform/registry/grpc-catalog-client';
import type { RegistryCredentials } from '#platform/registry/registry-client.port';
import type { CatalogContents, LoadedCatalog } from './catalog-contents.js';

export type RefreshDeps = Readonly<{
  contents: CatalogContents;
  clock: Clock;
  /** Evenly from 0 up to 1: spreads the polls of many sources over time. */
  random: () => number;
  strict: boolean;
  credentials: (source: CatalogSource) => Promise<RegistryCredentials>;
  /** The state moved: the status wants writing. `content` tells that what can be resolved from changed too. */
  onState: (source: CatalogSource, change: Readonly<{ content: boolean }>) => void;
}>;

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
/** OLM keeps what a registry server listed for 30 minutes (spec: catalog-sources.md §8). */
const ADDRESS_RELIST_MS = 30 * 60_000;

/** Keeps the content of one CatalogSource fresh: loads, polls, retries, and says where it stands. */
export class CatalogRefresh {
  state: CatalogState = {};
  loaded: LoadedCatalog | undefined;
  /** The first try has ended, well or not: until then nobody should resolve without this catalog. */
  settled = false;
  #source: CatalogSource;
  #cancelTimer: () => void = () => undefined;
  #failures = 0;
  #running = false;
  #again = false;
  #stopped = false;
  #grpc: Readonly<{ address: string; client: GrpcCatalogClient }> | undefined;

  constructor(
    source: CatalogSource,
    private readonly deps: RefreshDeps,
  ) {
    this.#source = source;
    void this.#refresh();
  }

  get source(): CatalogSource {
    return this.#source;
  }

  /** Why resolution must not use this catalog; undefined where it may. Worded as OLM does. */
  get failure(): string | undefined {
    if (isServing(this.state, this.deps.strict)) return undefined;
    const { namespace, name } = this.#source.metadata;
    const origin = originOf(this.#source);
    const why = origin.kind === 'invalid' ? origin.message : this.state.failure?.message;
    return `no registry client established for catalogsource ${namespace}/${name}${why ? `: ${why}` : ''}`;
  }

  update(source: CatalogSource): void {
    const moved = canonicalJson(source.spec) !== canonicalJson(this.#source.spec);
    this.#source = source;
    if (moved) void this.#refresh();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#grpc?.client.close();
  }

  async #refresh(): Promise<void> {
    if (this.#stopped) return;
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    this.#cancelTimer();
    const before = this.loaded?.digest;
    const wasServing = this.failure === undefined && this.settled;
    const delay = await this.#attempt();
    const first = !this.settled;
    this.settled = true;
    this.#running = false;
    const content = first || before !== this.loaded?.digest || wasServing !== (this.failure === undefined);
    if (!this.#stopped) this.deps.onState(this.#source, { content });
    if (this.#again) {
      this.#again = false;
      void this.#refresh();
    } else if (delay !== undefined && !this.#stopped) {
      this.#cancelTimer = this.deps.clock.after(delay, () => void this.#refresh());
    }
  }

  /** Milliseconds until the next look, or undefined where none is due. */
  async #attempt(): Promise<number | undefined> {
    const origin = originOf(this.#source);
    if (origin.kind === 'invalid') {
      this.state = {};
      this.loaded = undefined;
      return undefined;
    }
    try {
      this.#succeeded(await this.#load(), origin.kind);
      return this.#nextPoll(origin.kind);
    } catch (error) {
      return this.#failed(error);
    }
  }

  async #load(): Promise<LoadedCatalog> {
    const origin = originOf(this.#source);
    if (origin.kind === 'image') {
      const credentials = await this.deps.credentials(this.#source);
      return this.deps.contents.ofImage(origin.image, { credentials });
    }
    if (origin.kind === 'grpc')
      return this.deps.contents.ofListing(await this.#connectionTo(origin.address).snapshot());
    throw new Error('catalogs in a ConfigMap are not supported yet: serve the catalog as an image or at an address');
  }

  #succeeded(loaded: LoadedCatalog, kind: 'image' | 'grpc' | 'configMap'): void {
    const now = this.deps.clock.now().toISOString();
    const held =
      this.state.held?.digest === loaded.digest
        ? this.state.held
        : { digest: loaded.digest, since: now, content: loaded.content };
    this.loaded = loaded;
    this.#failures = 0;
    this.state = { held, ...(kind === 'image' && pollSchedule(this.#source) ? { polledAt: now } : {}) };
  }

  #nextPoll(kind: 'image' | 'grpc' | 'configMap'): number | undefined {
    if (kind === 'grpc') return ADDRESS_RELIST_MS;
    const schedule = pollSchedule(this.#source);
    return schedule === undefined ? undefined : this.#jittered(schedule.everyMs);
  }

  #failed(error: unknown): number {
    const now = this.deps.clock.now();
    const delay = this.#jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures));
    this.#failures += 1;
    const message = error instanceof Error ? error.message : String(error);
    const since = this.state.failure?.since ?? now.toISOString();
    const nextTry = new Date(now.getTime() + delay).toISOString();
    this.state = { ...this.state, failure: { reason: 'RegistryServerError', message, since, nextTry } };
    return delay;
  }

  /** ±10 %, as OLM spreads its polls (spec: catalog-sources.md §1.3). */
  #jittered(ms: number): number {
    return Math.round(ms * (0.9 + 0.2 * this.deps.random()));
  }

  /** A registry server that comes back, or is replaced at its address, is listed anew at once. */
  #connectionTo(address: string): GrpcCatalogClient {
    if (this.#grpc?.address === address) return this.#grpc.client;
    this.#grpc?.client.close();
    const client = new GrpcCatalogClient(address);
    this.#grpc = { address, client };
    client.watchState((state) => {
      if (state === 'READY' && this.settled) void this.#refresh();
    });
    return client;
  }
}
