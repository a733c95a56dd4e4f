import { disabledStatus } from '#core/classic/catalog-source/catalog-conditions';
import { catalogSourceStatus, type StatusSettings } from '#core/classic/catalog-source/catalog-source-status';
import { readableSource } from '#core/classic/catalog-source/readable-source';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { sameJson } from '#core/kernel/canonical/same-json';
import type { Clock } from '#platform/clock/clock.port';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { CatalogRefresh } from './catalog-refresh.js';
import { clusterAccess, type SourceAccess } from './cluster-access.js';
import { DefaultSources } from './default-sources.js';
import { ImageTemplates } from './image-templates.js';
import type { SharedCatalogs } from './shared-catalogs.js';
import { StatusWriter } from './status-writer.js';

type ClusterCatalogsDeps = Readonly<{
  client: KubeClient;
  catalogs: SharedCatalogs;
  clock: Clock;
  log: Log;
  status: StatusSettings;
  /** Another one acts there: no content is held, and no status written. */
  isObserved?: boolean;
  random: () => number;
  /**
   * Called when the content for resolution has changed: a pass is due for every namespace that sees this
   * catalog.
   */
  onChange: (source: CatalogSource) => void;
}>;

const VERSION_AGAIN_MS = 30_000;

/** The CatalogSources of one cluster: one refresh each, their image templates, and their statuses written. */
export class ClusterCatalogs {
  readonly #refreshes = new Map<string, CatalogRefresh>();
  /** Sources as the watch reported them last. */
  readonly #sources = new Map<string, CatalogSource>();
  readonly #access: SourceAccess;
  readonly #templates: ImageTemplates;
  readonly #defaults: DefaultSources;
  readonly #statuses: StatusWriter;
  #cancelResync: (() => void) | undefined;

  constructor(private readonly deps: ClusterCatalogsDeps) {
    this.#access = clusterAccess(deps);
    this.#templates = new ImageTemplates(deps);
    this.#defaults = new DefaultSources(deps);
    this.#statuses = new StatusWriter({ ...deps, statusOf: (live) => this.#statusOf(live) });
  }

  of(source: CatalogSource): CatalogRefresh | undefined {
    return this.#refreshes.get(keyOf(source));
  }

  /** Returns the version of the API server, once it was read. */
  get serverVersion(): string | undefined {
    return this.#templates.serverVersion;
  }

  /** Returns the reasons for failed writes of statuses, one text each. */
  get unwritten(): readonly string[] {
    return this.#statuses.failures;
  }

  all(): readonly CatalogRefresh[] {
    return [...this.#refreshes.values()];
  }

  /**
   * Prepares the catalogs before the first source is noted: image templates need the version of the API
   * server, default sources the OperatorHub.
   */
  async prepare(): Promise<void> {
    await Promise.all([this.#templates.readVersion(), this.#defaults.read()]);
  }

  /**
   * Notes a source. One with an unreadable spec counts as one with an invalid spec: its status names the
   * fault.
   */
  note(noted: CatalogSource, event: 'changed' | 'gone'): void {
    if (this.deps.isObserved === true) return;
    const source = readableSource(noted);
    const key = keyOf(source);
    if (event === 'changed') {
      this.#sources.set(key, source);
      this.#keep(source);
      return;
    }
    this.#refreshes.get(key)?.stop();
    this.#refreshes.delete(key);
    this.#sources.delete(key);
    this.#statuses.forget(source);
  }

  /**
   * Reads again the facts that sources depend on: OpenShift's OperatorHub, and for image templates the
   * version of the API server.
   */
  async resync(): Promise<void> {
    await this.#resyncDefaults();
    const templated = [...this.#sources.values()].filter((source) => this.#templates.isTemplated(source));
    if (templated.length === 0) return;
    await this.#templates.readVersion();
    for (const { metadata } of templated) {
      const source = this.#sources.get(keyOf({ metadata }));
      if (source !== undefined) this.#keep(source);
    }
  }

  /**
   * Reads the default sources again, only if the cluster has some. A source with a changed state is kept or
   * dropped, and resolution is notified.
   */
  async #resyncDefaults(): Promise<void> {
    const defaults = () => [...this.#sources.values()].filter((source) => this.#defaults.isDefault(source));
    if (defaults().length === 0) return;
    const before = new Set(
      defaults()
        .filter((source) => this.#defaults.isDisabled(source))
        .map(keyOf),
    );
    await this.#defaults.read();
    for (const source of defaults()) {
      if (this.#defaults.isDisabled(source) === before.has(keyOf(source))) continue;
      this.#keep(source);
      this.deps.onChange(source);
    }
  }

  /** A default source that the OperatorHub disables counts as absent; its status says so. */
  #drop(source: CatalogSource): void {
    this.of(source)?.stop();
    this.#refreshes.delete(keyOf(source));
    if (!sameJson(this.#statusOf(source) ?? {}, source.status ?? {})) {
      void this.#statuses.write(source);
    }
  }

  stop(): void {
    for (const refresh of this.#refreshes.values()) refresh.stop();
    this.#statuses.stop();
    this.#cancelResync?.();
  }

  #keep(source: CatalogSource): void {
    if (this.#defaults.isDisabled(source)) {
      this.#drop(source);
      return;
    }
    const resolvedSource = this.#templates.resolved(source);
    const known = this.of(source);
    if (known === undefined) this.#refreshes.set(keyOf(source), this.#refreshOf(resolvedSource));
    else known.update(resolvedSource);
    if (this.#templates.isTemplated(source) && !this.#templates.ready) this.#resyncSoon();
    if (resolvedSource !== source) void this.#templates.writeImage(source);
    if (this.#isStale(source)) void this.#statuses.write(source);
  }

  #resyncSoon(): void {
    this.#cancelResync ??= this.deps.clock.after(VERSION_AGAIN_MS, () => {
      this.#cancelResync = undefined;
      void this.resync();
    });
  }

  #refreshOf(source: CatalogSource): CatalogRefresh {
    return new CatalogRefresh(source, {
      ...this.deps,
      cluster: this.deps.client.cluster,
      strict: this.deps.status.strict,
      access: this.#access,
      onState: (of, { content }) => {
        void this.#statuses.write(of);
        if (content) this.deps.onChange(of);
      },
    });
  }

  /**
   * True if the status of the object differs from ours. The status of an earlier process stays until there is
   * news: a restarted poller must not make its fleet appear unhealthy.
   */
  #isStale(source: CatalogSource): boolean {
    if (this.of(source)?.settled !== true) return source.status?.connectionState === undefined;
    return !sameJson(this.#statusOf(source) ?? {}, source.status ?? {});
  }

  #statusOf(found: CatalogSource): CatalogSource['status'] {
    const live = readableSource(found);
    if (this.#defaults.isDisabled(live)) return disabledStatus(live, this.deps.clock.now().toISOString());
    const refresh = this.of(live);
    if (refresh === undefined) return undefined;
    const template = this.#templates.outcomeOf(live);
    const state = { ...refresh.state, ...(template === undefined ? {} : { template }) };
    return catalogSourceStatus(live, state, this.deps.status, this.deps.clock.now().toISOString());
  }
}

const keyOf = ({ metadata }: Pick<CatalogSource, 'metadata'>): string => `${metadata.namespace}/${metadata.name}`;
