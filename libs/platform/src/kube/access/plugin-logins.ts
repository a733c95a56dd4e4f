import { cloudLogin } from '#core/cluster/cloud-logins/cloud-login';
import type { PluginCall } from '#core/cluster/cloud-logins/plugin-call';
import { type CloudHttp, CloudLoginError } from '../cloud/cloud-http.port.js';
import { cloudToken } from '../cloud/cloud-logins.js';
import { OutboundCloudHttp } from '../cloud/outbound-cloud-http.js';
import { DialTurns } from '../transport/dial-turns.js';
import { textOf } from '../transport/transport.error.js';
import { type ExecConfig, execInfo, type PluginLogin, readExecCredential } from './exec-credential.js';
import type { ClusterAccess } from './kubeconfig.js';
import { PluginError, PluginMissing, PluginProcess, shownText } from './plugin-process.js';

export type PluginOptions = Readonly<{
  /** A run that takes longer is ended. */
  timeoutMs: number;
  /**
   * Requests wait for a run no longer than this after it began: a command has many requests. Default: its
   * end.
   */
  waitMs?: number | undefined;
  /** Plugins may have the terminal of this process: for commands. A hub gives it to none. */
  hasTerminal: boolean;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Asks clouds in the place of a plugin that is not installed. Default: over the network. */
  cloud?: CloudHttp;
  now?: () => number;
}>;

export const PLUGIN_TIMEOUT_MS = 60_000;
/** A login is renewed when this part of its time is left, and at most a minute before its end. */
const RENEWED_AT = 0.2;
const RENEWED_BEFORE_MS = 60_000;
/** Pause before a failed renewal is retried while the earlier login is valid. */
const RENEWAL_PAUSE_MS = 5_000;

/**
 * Programs of a cloud take 100 MB each, and a hub has hundreds of clusters. One that hangs gives its turn
 * away.
 */
const TURNS = new DialTurns(16, 5_000);
/** People are asked one question at a time. */
const TERMINAL_TURNS = new DialTurns(1, 600_000);
const NO_NEEDS = { nearest: 0 };

/** Logins that are in use, by the input of the plugin. */
const SHARED = new Map<string, { logins: PluginLogins; users: number }>();

/**
 * Returns the login of a plugin. All clients of the process that configure it alike share it, as in
 * client-go. `release` is called once by each.
 */
export function sharedLogins(access: ClusterAccess, exec: ExecConfig, options: PluginOptions) {
  const key = JSON.stringify([exec, access.cluster, options.hasTerminal, options.timeoutMs, options.waitMs]);
  const shared = SHARED.get(key) ?? { logins: new PluginLogins(access, exec, options), users: 0 };
  SHARED.set(key, shared);
  shared.users += 1;
  let isReleased = false;
  const { logins } = shared;
  return {
    current: (ca: () => Promise<Buffer | undefined>) => logins.current(ca),
    forget: (login: PluginLogin) => logins.forget(login),
    get pending() {
      return logins.pending;
    },
    release: () => {
      if (isReleased) return;
      isReleased = true;
      shared.users -= 1;
      if (shared.users > 0) return;
      SHARED.delete(key);
      logins.close();
    },
  };
}

type Held = Readonly<{ login: PluginLogin; renewAt: number }>;

/**
 * The login that one plugin, or its cloud, gives for one cluster. One run serves all requests that wait for
 * it. A login is renewed before it ends, while requests continue with it. After a failure the next request
 * runs the plugin again.
 */
class PluginLogins {
  readonly #closing = new AbortController();
  readonly #now: () => number;
  #held: Held | undefined;
  #asking: Promise<PluginLogin> | undefined;
  #process: PluginProcess | undefined;
  #begun = 0;

  constructor(
    private readonly access: ClusterAccess,
    private readonly exec: ExecConfig,
    private readonly options: PluginOptions,
  ) {
    this.#now = options.now ?? Date.now;
  }

  /** `ca`: the authority of the cluster, as PEM. @throws PluginError */
  async current(ca: () => Promise<Buffer | undefined>): Promise<PluginLogin> {
    const held = this.#held;
    const now = this.#now();
    if (held === undefined || (held.login.until ?? Number.POSITIVE_INFINITY) <= now) {
      this.#held = undefined;
      return this.#ask(ca);
    }
    if (held.renewAt <= now) {
      this.#held = { ...held, renewAt: now + RENEWAL_PAUSE_MS };
      this.#ask(ca).catch(() => undefined);
    }
    return held.login;
  }

  /** The server refused a login: the next request has another one, unless there is one already. */
  forget(login: PluginLogin): void {
    if (this.#held?.login === login) this.#held = undefined;
  }

  /** Describes the run that requests wait for: undefined if there is none. */
  get pending(): string | undefined {
    if (this.#asking === undefined || this.#held !== undefined) return undefined;
    const seconds = Math.round((this.#now() - this.#begun) / 1000);
    const said = this.#process?.said ?? '';
    return `has not answered for ${seconds} s${said === '' ? '' : `: ${said}`}`;
  }

  /** Ends an active run. */
  close(): void {
    this.#closing.abort();
    this.#process?.end();
  }

  #ask(ca: () => Promise<Buffer | undefined>): Promise<PluginLogin> {
    const { waitMs = Number.POSITIVE_INFINITY } = this.options;
    const { pending } = this;
    if (pending !== undefined && this.#now() - this.#begun >= waitMs) return Promise.reject(new PluginError(pending));
    this.#asking ??= this.#run(ca).finally(() => {
      this.#asking = undefined;
      this.#process = undefined;
    });
    return this.#asking;
  }

  async #run(ca: () => Promise<Buffer | undefined>): Promise<PluginLogin> {
    this.#begun = this.#now();
    const isInteractive = this.#isInteractive();
    const info = execInfo(this.access, await ca(), isInteractive);
    const { signal } = this.#closing;
    const login = await (isInteractive ? TERMINAL_TURNS : TURNS).run({ needs: NO_NEEDS, signal }, () => {
      this.#begun = this.#now();
      return this.#login(info, isInteractive);
    });
    const now = this.#now();
    const { until = Number.POSITIVE_INFINITY } = login;
    const early = Math.min(RENEWED_BEFORE_MS, (until - now) * RENEWED_AT);
    this.#held = { login, renewAt: until === Number.POSITIVE_INFINITY ? until : until - early };
    return login;
  }

  /** Runs the plugin. If it is one of a cloud and not installed, the hub asks the cloud itself. */
  async #login(info: string, isInteractive: boolean): Promise<PluginLogin> {
    const { command, args, env } = this.exec;
    const environment = {
      ...this.#inherited(),
      ...Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: info,
    };
    const plugin = { command, args: args ?? [], isInteractive, timeoutMs: this.options.timeoutMs, env: environment };
    this.#process = new PluginProcess(plugin);
    try {
      return readExecCredential(await this.#process.answer, this.exec, this.#now());
    } catch (error) {
      if (!(error instanceof PluginMissing)) throw error;
      return await this.#ownLogin({ command, args: args ?? [], environment }, error);
    }
  }

  async #ownLogin(call: PluginCall, missing: PluginMissing): Promise<PluginLogin> {
    const login = cloudLogin(call);
    if (login === undefined) throw missing;
    if (typeof login === 'string')
      throw new PluginError(`is not installed, and the hub cannot stand in for it: ${login}`);
    const limit = AbortSignal.timeout(this.options.timeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, limit]);
    const http = this.options.cloud ?? new OutboundCloudHttp({ environment: call.environment });
    try {
      const token = await cloudToken(login, { http, now: this.#now, signal });
      if (token.until <= this.#now())
        throw new CloudLoginError('the login from the cloud has expired: check the clock of this machine');
      return token;
    } catch (error) {
      if (!limit.aborted && !(error instanceof CloudLoginError)) throw error;
      const why = limit.aborted ? `no login within ${this.options.timeoutMs / 1_000} s` : shownText(textOf(error));
      throw new PluginError(`is not installed, and the hub's own login to ${login.cloud} failed: ${why}`);
    }
  }

  /**
   * Decides as client-go does.
   * @throws PluginError if the plugin wants a terminal and there is none for it
   */
  #isInteractive(): boolean {
    const mode = this.exec.interactiveMode || 'IfAvailable';
    if (mode === 'Always' && !this.options.hasTerminal)
      throw new PluginError('failed: it needs a terminal (interactiveMode: Always), and this process has none');
    return mode !== 'Never' && this.options.hasTerminal;
  }

  /**
   * The environment of this process, as kubectl gives it, without the settings of the hub and their
   * secrets.
   */
  #inherited(): Record<string, string> {
    const { environment = process.env } = this.options;
    const entries = Object.entries(environment).filter(([name]) => !name.startsWith('FLOTILLA_'));
    return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  }
}
