import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A write was not sent, since the cluster is left to OLM by now. */
export class ClusterLeftToOlm extends FlotillaError {
  readonly code = 'ClusterLeftToOlm';
  /** Whether OLM has gone is found out by the next check. */
  readonly retry: Retry = { afterMs: 60_000 };
  constructor(cluster: string) {
    super(`cluster "${cluster}" is left to OLM: nothing is written there until OLM has gone; see /healthz`);
  }
}

/**
 * The writes of this process to one cluster: refused while the cluster is left to OLM, and counted
 * while they are under way.
 */
export class ClusterWrites {
  #underWay = 0;
  #onIdle: (() => void)[] = [];

  constructor(
    readonly cluster: string,
    private readonly areAllowed: () => boolean,
  ) {}

  /** How many writes were sent and are not answered yet. */
  get underWay(): number {
    return this.#underWay;
  }

  /** Rejects with {@link ClusterLeftToOlm} where nothing may be written. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    if (!this.areAllowed()) throw new ClusterLeftToOlm(this.cluster);
    this.#underWay += 1;
    try {
      return await write();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  /** Resolves once no write is under way. */
  async whenIdle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }
}
