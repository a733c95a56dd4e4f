/** Time that a refusal is shown in health. The work that lacks the right tries again within that time. */
const SHOWN_MS = 60_000;

/** Errors with which Redis 7.0, and later versions, refuse a command, and one within a script. */
export const REFUSED = /^NOPERM|ACL failure|user executing the script can't/;

/** Commands that Redis refused since the access control list of the server does not give the user a right. */
export class MissingRights {
  #last: Readonly<{ text: string; atMs: number }> | undefined;

  constructor(
    private readonly user: string,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Takes any error of any command. */
  note(error: unknown, command?: string): void {
    if (!(error instanceof Error) || !REFUSED.test(error.message)) return;
    const sent = command === undefined ? '' : ` to ${command.toUpperCase()}`;
    this.#last = { text: `${error.message.split('\n')[0]} (answer${sent})`, atMs: this.nowMs() };
  }

  /** Text for health checks. Undefined if nothing was refused lately. */
  get text(): string | undefined {
    if (this.#last === undefined || this.nowMs() - this.#last.atMs > SHOWN_MS) return undefined;
    return (
      `Redis user ${JSON.stringify(this.user)} lacks a right: ${this.#last.text}. ` +
      'Give it the rights that k8s/base/hub/redis-users.acl lists, with FLOTILLA_REDIS_PREFIX before its keys'
    );
  }
}
