import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import type { Log } from '../telemetry/log.port.js';

/** Age of a renewal after which a leader has lost the lease to another process that takes it. */
const DURATION_MS = 15_000;
/** Age of a renewal after which a leader stops acting, before another one may take over. */
const RENEWED_WITHIN_MS = 10_000;
const RETRY_MS = 2_000;
const MS_IN_SECOND = 1_000;

type LeaseSpec = Readonly<{
  holderIdentity?: string | undefined;
  leaseDurationSeconds?: number | undefined;
  acquireTime?: string | undefined;
  renewTime?: string | undefined;
  leaseTransitions?: number | undefined;
}>;
type Lease = KubernetesObject & Readonly<{ spec?: LeaseSpec }>;

type LeaderLeaseOptions = Readonly<{
  client: KubeClient;
  namespace: string;
  name: string;
  /** Names this process, and no other one. */
  identity: string;
  clock: Clock;
  log: Log;
  /** Called when this process begins to lead, also after a short loss if no other process was faster. */
  onGained: () => void;
}>;

/**
 * Decides which of several processes acts, by a Lease in an API server, as Kubernetes' own controllers do.
 * Times of other machines are not compared with the time of this one: a lease has expired when it has not
 * changed for its duration, seen from here.
 */
export class LeaderLease {
  /** When this process last had the lease; it is asked before every write. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #seen: Readonly<{ version: string | undefined; at: number }> | undefined;
  #holder = '';
  #trouble: string | undefined;
  #cancel: () => void = () => undefined;
  #trying: Promise<void> | undefined;
  #stopped = false;

  constructor(private readonly options: LeaderLeaseOptions) {}

  start(): void {
    this.#trying = this.#turn();
  }

  /** Gives the lease up, so that another process may take it at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    await this.#trying;
    if (!this.isHeld) return;
    this.#renewedAt = Number.NEGATIVE_INFINITY;
    await this.#release().catch((error: unknown) => this.options.log.warn({ error }, 'could not release the lease'));
  }

  /** True if this process leads now. */
  get isHeld(): boolean {
    return this.#now() - this.#renewedAt < RENEWED_WITHIN_MS;
  }

  /** The process that leads, as it was last seen. */
  get holder(): string {
    return this.isHeld ? this.options.identity : this.#holder;
  }

  /** The reason why could not acquire or renew the lease. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  async #turn(): Promise<void> {
    const { log, onGained, identity } = this.options;
    const hadIt = this.isHeld;
    const [before, renewedAt] = [this.#now(), this.#renewedAt];
    try {
      const isOurs = await this.#take();
      this.#trouble = undefined;
      if (isOurs) this.#renewedAt = before;
      else this.#renewedAt = Number.NEGATIVE_INFINITY;
    } catch (error) {
      // Another process was faster.
      if (!KubeApiError.is(error, 'Conflict', 'AlreadyExists')) this.#note(error);
    }
    // While the request waited the lease may have run out, and a write of that time was refused.
    const isGained = !hadIt || this.#now() - renewedAt >= RENEWED_WITHIN_MS;
    if (isGained && this.isHeld && !this.#stopped) {
      log.info({ identity }, 'acquired leadership: deciding rollouts');
      onGained();
    }
    if (hadIt && !this.isHeld) log.warn({ identity }, 'lost leadership: stopped deciding rollouts');
    if (this.#stopped) return;
    this.#cancel = this.options.clock.after(RETRY_MS, () => {
      this.#trying = this.#turn();
    });
  }

  #note(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (this.#trouble === undefined) this.options.log.warn({ error }, 'could not acquire or renew the lease');
    this.#trouble = text;
  }

  /** Takes or renews the lease. Returns false if another process has it. */
  async #take(): Promise<boolean> {
    const { client, namespace, name, identity } = this.options;
    const found = await client.get<Lease>({ ...KIND.Lease, namespace, name });
    const now = this.#now();
    if (found === undefined) {
      await this.#create({ ...this.#renewed(), acquireTime: microTime(now), leaseTransitions: 0 });
      return true;
    }
    const { spec = {} } = found;
    this.#holder = spec.holderIdentity ?? '';
    if (this.#holder === identity) {
      await client.update({ ...found, spec: { ...spec, ...this.#renewed() } });
      return true;
    }
    const version = found.metadata.resourceVersion;
    const before = this.#seen;
    const seen = before !== undefined && before.version === version ? before : { version, at: now };
    this.#seen = seen;
    const lastsMs = (spec.leaseDurationSeconds ?? DURATION_MS / MS_IN_SECOND) * MS_IN_SECOND;
    if (this.#holder !== '' && now < seen.at + lastsMs) return false;
    const leaseTransitions = (spec.leaseTransitions ?? 0) + 1;
    const taken = { ...this.#renewed(), acquireTime: microTime(now), leaseTransitions };
    await client.update({ ...found, spec: { ...spec, ...taken } });
    return true;
  }

  async #create(spec: LeaseSpec): Promise<void> {
    const { client, namespace, name } = this.options;
    const lease = { ...KIND.Lease, metadata: { name, namespace }, spec };
    try {
      await client.create(lease);
    } catch (error) {
      if (!KubeApiError.is(error, 'NotFound')) throw error;
      await client.create({ ...KIND.Namespace, metadata: { name: namespace } });
      await client.create(lease);
    }
  }

  async #release(): Promise<void> {
    const { client, namespace, name, identity } = this.options;
    const found = await client.get<Lease>({ ...KIND.Lease, namespace, name });
    if (found?.spec?.holderIdentity !== identity) return;
    const spec = { ...found.spec, holderIdentity: '', renewTime: microTime(this.#now()), leaseDurationSeconds: 1 };
    await client.update({ ...found, spec });
  }

  #renewed(): LeaseSpec {
    const { identity } = this.options;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: DURATION_MS / MS_IN_SECOND,
      renewTime: microTime(this.#now()),
    };
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}

/** Times of Leases have microseconds. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
