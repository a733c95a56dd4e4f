import { createHash } from 'node:crypto';
import { type AccountToken, lifetimeOf, renewedFrom } from '#core/cluster/membership/account-token';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '../clock/clock.port.js';
import { Timers } from '../clock/timers.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { tokenAccount } from '../kube/access/plain-access.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { troubleOf } from '../kube/errors/api-server-trouble.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { Log } from '../telemetry/log.port.js';
import { OtherLogin, type StoreLogin } from './stored-logins.js';

/** A cluster with the access that is in use, and a client that has it. */
type UsedLogin = Readonly<{ access: ClusterAccess; client: KubeClient }>;

type LoginRenewalsOptions = Readonly<{
  /** Renewals of this process, by cluster. */
  logins: () => ReadonlyMap<string, UsedLogin>;
  store: StoreLogin;
  clock: Clock;
  log: Log;
}>;

/** Counts of logins: `endless` never end, `bounded` are renewed, `others` are not ours to renew. */
type LoginCounts = Readonly<{ endless: number; bounded: number; others: number }>;

const CHECK_EVERY_MS = 30_000;
/**
 * Time after which a stored login has been read again: kubelet needs up to three minutes for a mounted
 * Secret. A login that was not stored is renewed again.
 */
const STORED_WITHIN_MS = 240_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 30_000;
/** Names in one line of health. */
const NAMED = 10;

/** Replaced logins of a cluster that are remembered. */
const REMEMBERED = 8;
const CAME_BACK =
  'the new login was stored, but the earlier one is in use again: another program writes the Secret or file. ' +
  'Exclude it there, or use a token that never ends (docs/access.md, "Logins that end")';

/** Renewal of one login. `storedAt`: its successor was stored for the first time. */
type Attempt = {
  readonly digest: string;
  failures: number;
  stores: number;
  nextAt: number;
  storedAt?: number;
  /** True if another login was found in its place once. */
  wasOther: boolean;
  trouble: string | undefined;
};

/**
 * Renews the logins of a process. A ServiceAccount asks its own API server for its next token (TokenRequest).
 * It is stored in the place of the earlier one. Clients take it up as any other change of a kubeconfig.
 */
export class LoginRenewals {
  readonly #timers: Timers;
  readonly #attempts = new Map<string, Attempt>();
  /** Logins with a stored successor. */
  readonly #replaced = new Map<string, readonly Attempt[]>();
  readonly #running = new Map<string, Promise<void>>();
  readonly #writes = new Set<Promise<void>>();
  readonly #stopped = new AbortController();

  constructor(private readonly options: LoginRenewalsOptions) {
    this.#timers = new Timers(options.clock);
  }

  /** Degraded while a login could not be renewed. */
  readonly check: HealthCheck = {
    name: 'logins',
    check: async () => {
      const troubles = Object.fromEntries(
        [...this.options.logins().keys()].flatMap((cluster) => {
          const trouble = this.troubleOf(cluster);
          return trouble === undefined ? [] : [[cluster, trouble]];
        }),
      );
      const lines = Object.entries(troubles).sort(([a], [b]) => byCodeUnit(a, b));
      const { endless, bounded } = this.counts();
      const counts = `${bounded} logins are renewed before they end, ${endless} never end`;
      if (lines.length === 0) return { up: true, detail: counts };
      const shown = lines.slice(0, NAMED).map(([cluster, text]) => `${cluster}: ${text}`);
      const more = lines.length > NAMED ? ` and ${lines.length - NAMED} more` : '';
      return { up: true, degraded: true, detail: `${shown.join('; ')}${more}`, troubles };
    },
  };

  start(): void {
    this.#timers.every(CHECK_EVERY_MS, () => this.#renewAll());
  }

  /** Waits for writes that have begun; others do not begin. A request for a token is not waited for. */
  async stop(): Promise<void> {
    this.#timers.stop();
    this.#stopped.abort(new Error('the hub stops'));
    await Promise.allSettled(this.#writes);
  }

  /** Resolves once the renewals that are under way have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Returns why the login of a cluster was not renewed when it was tried last. */
  troubleOf(cluster: string): string | undefined {
    return this.#attempts.get(cluster)?.trouble;
  }

  counts(): LoginCounts {
    const kinds = [...this.options.logins().values()].map(({ access }) => kindOf(access));
    const count = (kind: keyof LoginCounts) => kinds.filter((one) => one === kind).length;
    return { endless: count('endless'), bounded: count('bounded'), others: count('others') };
  }

  #renewAll(): void {
    const now = this.options.clock.now().getTime();
    const logins = this.options.logins();
    for (const known of [this.#attempts, this.#replaced])
      for (const cluster of known.keys()) if (!logins.has(cluster)) known.delete(cluster);
    for (const [cluster, login] of logins) if (!this.#running.has(cluster)) this.#renewIfDue(cluster, login, now);
  }

  #renewIfDue(cluster: string, login: UsedLogin, now: number): void {
    const account = tokenAccount(login.access);
    const from = account && renewedFrom(account);
    if (account === undefined || from === undefined || now < from) {
      this.#attempts.delete(cluster);
      return;
    }
    const attempt = this.#attemptOf(cluster, login.access.user.token ?? '');
    if (cameBack(attempt, now) && attempt.trouble === undefined) {
      attempt.trouble = CAME_BACK;
      this.options.log.warn({ cluster }, CAME_BACK);
    }
    if (now < attempt.nextAt) return;
    const running = this.#renew(cluster, login, account, attempt).finally(() => this.#running.delete(cluster));
    this.#running.set(cluster, running);
  }

  #attemptOf(cluster: string, token: string): Attempt {
    const digest = createHash('sha256').update(token).digest('hex');
    const known = [this.#attempts.get(cluster), ...(this.#replaced.get(cluster) ?? [])];
    const unknown = { digest, failures: 0, stores: 0, nextAt: 0, wasOther: false, trouble: undefined };
    const attempt = known.find((one) => one?.digest === digest) ?? unknown;
    this.#attempts.set(cluster, attempt);
    return attempt;
  }

  async #renew(cluster: string, { access, client }: UsedLogin, account: AccountToken, attempt: Attempt): Promise<void> {
    const { log, store } = this.options;
    const { signal } = this.#stopped;
    try {
      const seconds = Math.ceil(lifetimeOf(account) / 1_000);
      const token = await client.requestToken({ ...account, seconds });
      signal.throwIfAborted();
      await this.#written(store(access, token, signal));
      this.#hasStored(cluster, attempt);
      log.info({ cluster, account: `${account.namespace}/${account.name}` }, 'renewed the login of a cluster');
    } catch (error) {
      if (!signal.aborted) this.#hasFailed(cluster, attempt, account.expiresAt ?? 0, error);
    }
  }

  async #written(write: Promise<void>): Promise<void> {
    this.#writes.add(write);
    await write.finally(() => this.#writes.delete(write));
  }

  #hasStored(cluster: string, attempt: Attempt): void {
    const now = this.options.clock.now().getTime();
    attempt.storedAt ??= now;
    attempt.nextAt = now + Math.min(STORED_WITHIN_MS * 2 ** attempt.stores, LONGEST_PAUSE_MS);
    attempt.stores += 1;
    attempt.failures = 0;
    attempt.trouble = cameBack(attempt, now) ? CAME_BACK : undefined;
    const others = (this.#replaced.get(cluster) ?? []).filter((one) => one !== attempt);
    this.#replaced.set(cluster, [...others, attempt].slice(-REMEMBERED));
  }

  #hasFailed(cluster: string, attempt: Attempt, endsAt: number, error: unknown): void {
    const { clock, log } = this.options;
    const now = clock.now().getTime();
    if (error instanceof OtherLogin && !attempt.wasOther) {
      // Another service has stored one: it comes here as soon.
      attempt.wasOther = true;
      attempt.nextAt = now + STORED_WITHIN_MS;
      return;
    }
    attempt.nextAt = now + pauseAfter(attempt.failures, endsAt - now);
    attempt.failures += 1;
    const ends = new Date(endsAt).toISOString();
    attempt.trouble = `the login ends at ${ends} and could not be renewed: ${troubleOf(error)}`;
    const level = attempt.failures === 1 ? 'warn' : 'debug';
    log[level]({ cluster, error: troubleOf(error), ends }, 'could not renew the login of a cluster yet');
  }
}

/** True once a login that was replaced should have been out of use. */
const cameBack = ({ storedAt }: Attempt, now: number): boolean =>
  storedAt !== undefined && now - storedAt >= STORED_WITHIN_MS;

/** Short enough that a login is tried several times more before it ends. */
function pauseAfter(failures: number, leftMs: number): number {
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return leftMs <= 0 ? pauseMs : Math.max(Math.min(pauseMs, leftMs / 8), FIRST_PAUSE_MS);
}

function kindOf(access: ClusterAccess): keyof LoginCounts {
  const account = tokenAccount(access);
  if (account === undefined) return 'others';
  return account.expiresAt === undefined ? 'endless' : 'bounded';
}
