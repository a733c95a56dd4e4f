import { RELEASE_FINALIZER } from '#core/cluster/membership/cluster-release';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';

/** A write was not sent, since nothing may be written to the cluster now. */
export abstract class WriteWithheld extends FlotillaError {
  /**
   * Milliseconds after which the write must be tried again, since no event follows once it may be sent.
   * Undefined: the event that unblocks it restarts all work in the cluster.
   */
  readonly againAfterMs: number | undefined = undefined;
}
/** Delay for causes that pass by themselves. */
const SOON_MS = 1_000;

/** The cluster is now left to OLM. */
export class ClusterLeftToOlm extends WriteWithheld {
  readonly code = 'ClusterLeftToOlm';
  /** The next check finds out if OLM has gone. */
  readonly retry: Retry = { afterMs: 60_000 };
  constructor(cluster: string) {
    super(`cluster "${cluster}" is left to OLM: nothing is written there until OLM has gone; see /healthz`);
  }
}

/** Another hub now manages the cluster. */
export class ClusterOfAnotherHub extends WriteWithheld {
  readonly code = 'ClusterOfAnotherHub';
  /** The next check finds out if that hub has given it up. */
  readonly retry: Retry = { afterMs: 60_000 };
  constructor(cluster: string) {
    super(`another hub manages cluster "${cluster}": nothing is written there; see check "owners" of /healthz`);
  }
}

/** The cluster is paused. */
export class ClusterPaused extends WriteWithheld {
  readonly code = 'ClusterPaused';
  readonly retry: Retry = { afterMs: 10_000 };
  constructor(cluster: string) {
    super(`cluster "${cluster}" is paused: nothing is written there until "flotilla clusters resume ${cluster}"`);
  }
}

/** The hub only reports on the cluster. */
class ClusterObserved extends WriteWithheld {
  readonly code = 'ClusterObserved';
  readonly retry: Retry = 'when-input-changes';
  constructor(cluster: string) {
    super(
      `cluster "${cluster}" is only observed: nothing is written there until "flotilla clusters resume ${cluster}"`,
    );
  }
}

/** The cluster is none of this process any more. */
export class ClusterHasLeft extends WriteWithheld {
  readonly code = 'ClusterHasLeft';
  readonly retry: Retry = 'when-input-changes';
  constructor(cluster: string) {
    super(`cluster "${cluster}" was removed: no kubeconfig of the hub has it`);
  }
}

/** The shard of the cluster belongs to another process, or this one is not sure that it is still its own. */
export class ClusterOfAnotherProcess extends WriteWithheld {
  readonly code = 'ClusterOfAnotherProcess';
  readonly retry: Retry = { afterMs: SOON_MS };
  override readonly againAfterMs = SOON_MS;
  constructor(cluster: string) {
    super(
      `cluster "${cluster}" belongs to another process now, or Redis has not renewed its lease; if this persists, see check "shards" of /healthz`,
    );
  }
}

/** The write is refused because the FleetCluster would not stay until the hub's objects are released. */
export class ClusterNotKept extends WriteWithheld {
  readonly code = 'ClusterNotKept';
  readonly retry: Retry = { afterMs: SOON_MS };
  override readonly againAfterMs = SOON_MS;
  constructor(cluster: string, because: string) {
    super(
      `nothing is written to cluster "${cluster}" until its FleetCluster has finalizer ${RELEASE_FINALIZER}; setting it failed: ${because}`,
    );
  }
}

const WITHHELD = {
  'left to OLM': ClusterLeftToOlm,
  'of another hub': ClusterOfAnotherHub,
  observed: ClusterObserved,
  paused: ClusterPaused,
  'has left': ClusterHasLeft,
  'not owned': ClusterOfAnotherProcess,
};

/** A reason why nothing may be written to a cluster. */
type WhyWithheld = keyof typeof WITHHELD;

/**
 * The writes of this process to one cluster: refused while nothing may be written there, and counted while
 * they are under way.
 */
export class ClusterWrites {
  #underWay = 0;
  #hasLeft = false;
  #onIdle: (() => void)[] = [];

  constructor(
    readonly cluster: string,
    private readonly whyWithheld: () => WhyWithheld | undefined,
    /** Finds out before a write if it must be withheld. Returns undefined if that is known. */
    private readonly confirm: () => Promise<unknown> | undefined = () => undefined,
  ) {}

  /** How many writes were sent and are not answered yet. */
  get underWay(): number {
    return this.#underWay;
  }

  /** The cluster has left: no write is sent any more. */
  end(): void {
    this.#hasLeft = true;
  }

  /** Runs a write. Rejects with a {@link WriteWithheld} if nothing may be written. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    this.#check();
    this.#underWay += 1;
    try {
      const confirmed = this.confirm();
      if (confirmed !== undefined) {
        await confirmed;
        this.#check();
      }
      return await write();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    }
  }

  #check(): void {
    const why = this.#hasLeft ? 'has left' : this.whyWithheld();
    if (why !== undefined) throw new WITHHELD[why](this.cluster);
  }

  /** Resolves once no write is under way. */
  async whenIdle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }
}
