import { CatalogSource } from '#core/api/catalog-source';
import { canonicalJson } from '#core/canonical/canonical-json';
import { catalogSourceStatus, type StatusSettings } from '#core/catalog-source/catalog-source-status';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import { pullSecretsOf } from '#platform/registry/pull-secrets';
import type { Log } from '#platform/telemetry/log.port';
import type { CatalogContents } from './catalog-contents.js';
import { CatalogRefresh } from './catalog-refresh.js';

export type ClusterCatalogsDeps = Readonly<{
  client: KubeClient;
  contents: CatalogContents;
  clock: Clock;
  log: Log;
  status: StatusSettings;
  random: () => number;
  /** What can be resolved from changed: who sees this catalog must be looked at again. */
  onChange: (source: CatalogSource) => void;
}>;

/** What a refresh relies on. */
const Readable = CatalogSource.pick({ metadata: true, spec: true });
const WRITE_TRIES = 5;
const WRITE_AGAIN_MS = 30_000;

/** The CatalogSources of one cluster: one refresh each, and their statuses written. */
export class ClusterCatalogs {
  readonly #refreshes = new Map<string, CatalogRefresh>();
  /** Statuses that could not be written, and how to give up on them. */
  readonly #unwritten = new Map<string, () => void>();

  constructor(private readonly deps: ClusterCatalogsDeps) {}

  of(source: CatalogSource): CatalogRefresh | undefined {
    return this.#refreshes.get(keyOf(source));
  }

  all(): readonly CatalogRefresh[] {
    return [...this.#refreshes.values()];
  }

  note(source: CatalogSource, event: 'changed' | 'gone'): void {
    const key = keyOf(source);
    const known = this.#refreshes.get(key);
    const readable = Readable.safeParse(source).success;
    if (!readable) this.#refuse(source);
    if (event === 'gone' || !readable) {
      known?.stop();
      this.#refreshes.delete(key);
      return;
    }
    if (known !== undefined) {
      known.update(source);
      return;
    }
    const refresh = new CatalogRefresh(source, {
      ...this.deps,
      strict: this.deps.status.strict,
      credentials: (wanting) => pullSecretsOf(this.deps.client, wanting),
      onState: (of, { content }) => {
        void this.#writeStatus(of);
        if (content) this.deps.onChange(of);
      },
    });
    this.#refreshes.set(key, refresh);
    // What an earlier process told stays until there is news: a poller that starts anew must not make its fleet look ill.
    if (source.status?.connectionState === undefined) void this.#writeStatus(source);
  }

  /** Only where the cluster's definition of the kind is not OLM's. */
  #refuse({ metadata: { namespace, name } }: CatalogSource): void {
    const { log, client } = this.deps;
    log.warn(
      { cluster: client.cluster, namespace, name },
      'a CatalogSource without a usable spec is left out: check the CustomResourceDefinition of its kind',
    );
  }

  stop(): void {
    for (const refresh of this.#refreshes.values()) refresh.stop();
    for (const cancel of this.#unwritten.values()) cancel();
  }

  async #writeStatus(source: CatalogSource): Promise<void> {
    const { namespace, name = '' } = source.metadata;
    try {
      await this.#writeNewest({ apiVersion: source.apiVersion, kind: source.kind, namespace, name });
    } catch (error) {
      this.deps.log.warn(
        { cluster: this.deps.client.cluster, namespace, name, err: error },
        'CatalogSource status not written; it will be tried again',
      );
      this.#writeLater(source);
    }
  }

  /** Nothing else would: a source that does not poll may never have news again. */
  #writeLater(source: CatalogSource): void {
    const key = keyOf(source);
    this.#unwritten.get(key)?.();
    const again = () => {
      this.#unwritten.delete(key);
      void this.#writeStatus(source);
    };
    this.#unwritten.set(key, this.deps.clock.after(WRITE_AGAIN_MS, again));
  }

  /** Others may write the object meanwhile: the status is made from what is there, and made again after a conflict. */
  async #writeNewest(
    ref: Readonly<{ apiVersion: string; kind: string; namespace: string | undefined; name: string }>,
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const live = await this.deps.client.get<CatalogSource>(ref);
      const refresh = live && this.of(live);
      if (live === undefined || refresh === undefined) return;
      const status = catalogSourceStatus(live, refresh.state, this.deps.status, this.deps.clock.now().toISOString());
      if (canonicalJson(status) === canonicalJson(live.status ?? {})) return;
      try {
        await this.deps.client.updateStatus({ ...live, status });
        return;
      } catch (error) {
        if (!KubeApiError.is(error, 'Conflict') || tries >= WRITE_TRIES) throw error;
      }
    }
  }
}

const keyOf = ({ metadata }: CatalogSource): string => `${metadata.namespace}/${metadata.name}`;
