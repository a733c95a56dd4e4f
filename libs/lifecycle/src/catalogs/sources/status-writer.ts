import type { CatalogSource } from '#core/kernel/api/catalog-source';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '#platform/clock/clock.port';
import { WriteWithheld } from '#platform/joining/cluster-writes';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

type Status = CatalogSource['status'];

type StatusWriterDeps = Readonly<{
  client: KubeClient;
  clock: Clock;
  log: Log;
  /** Returns the desired status of the object. Undefined if there is none. */
  statusOf: (live: CatalogSource) => Status;
}>;

const WRITE_TRIES = 5;
const WRITE_AGAIN_MS = 30_000;

/** Writes the statuses of one cluster's CatalogSources, each from the object as it is in the cluster. */
export class StatusWriter {
  /** Failed writes of statuses, and how to cancel their retries. */
  readonly #unwritten = new Map<string, () => void>();
  /** Reasons for the last failed write of a status, by source. */
  readonly #failures = new Map<string, string>();

  #stopped = false;

  constructor(private readonly deps: StatusWriterDeps) {}

  async write(source: CatalogSource): Promise<void> {
    const { namespace, name } = source.metadata;
    try {
      await this.#writeNewest(source);
      this.#failures.delete(keyOf(source));
    } catch (error) {
      if (this.#stopped) return;
      if (error instanceof WriteWithheld) {
        if (error.againAfterMs !== undefined) this.#writeLater(source, error.againAfterMs);
        return;
      }
      this.#failures.set(keyOf(source), error instanceof Error ? error.message : String(error));
      this.deps.log.warn(
        { cluster: this.deps.client.cluster, namespace, name, err: error },
        'could not write the status of a CatalogSource; retrying',
      );
      this.#writeLater(source, WRITE_AGAIN_MS);
    }
  }

  /** Returns the reasons for failed writes of statuses, one text each. None for a source that has gone. */
  get failures(): readonly string[] {
    return [...this.#failures.values()];
  }

  /** The source has gone. */
  forget(source: CatalogSource): void {
    this.#failures.delete(keyOf(source));
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#unwritten.values()) cancel();
  }

  /** A source that does not poll may never have news again, so the write is retried here. */
  #writeLater(source: CatalogSource, afterMs: number): void {
    const key = keyOf(source);
    this.#unwritten.get(key)?.();
    const again = () => {
      this.#unwritten.delete(key);
      void this.write(source);
    };
    this.#unwritten.set(key, this.deps.clock.after(afterMs, again));
  }

  /**
   * Others may write the object meanwhile: the status is made from the live object, and
   * made again after a conflict.
   */
  async #writeNewest(source: CatalogSource): Promise<void> {
    const ref = refOf(source);
    for (let tries = 1; ; tries += 1) {
      const live = await this.deps.client.get<CatalogSource>(ref);
      const status = live && this.deps.statusOf(live);
      if (live === undefined || status === undefined || this.#stopped) return;
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
