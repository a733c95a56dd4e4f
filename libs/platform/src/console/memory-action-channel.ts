import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  type ActionResult,
  type ActionTarget,
  type ConsoleAction,
  targetKey,
} from '#core/view/actions/console-action';
import type { Clock } from '../clock/clock.port.js';
import { type ExpiringValuesOptions, expiringValues } from '../store/expiring-values.js';
import type { ActionReceiver, ActionSender, SentAction } from './action-channel.port.js';

const KEPT_MS = 3_600_000;
const MOST_ACTIONS = 1_000;

type Sent = Readonly<{ sent: SentAction; atMs: number }>;
type Results = Map<string, ActionResult>;

/** Actions from the console to the applier of the same process. */
export class MemoryActionChannel implements ActionSender {
  readonly #sent;
  readonly #idOf;
  readonly #results;
  readonly #takers = new Set<(sent: SentAction) => void>();

  constructor(private readonly clock: Clock) {
    const kept: ExpiringValuesOptions = { clock, ttlMs: KEPT_MS, most: MOST_ACTIONS };
    this.#sent = expiringValues<Sent>(kept);
    this.#idOf = expiringValues<string>(kept);
    this.#results = expiringValues<Results>(kept);
  }

  async send(action: ConsoleAction, key: string, prove: () => Promise<string>): Promise<string> {
    const once = `${action.by}\n${key}`;
    const known = this.#idOf.get(once);
    if (known !== undefined) return known;
    this.#idOf.set(once, action.id);
    // Without a proof nothing is sent, and the same key may be used again.
    const proof = await prove().catch((error: unknown) => {
      this.#idOf.delete(once);
      throw error;
    });
    const sent = { action, proof, delivery: action.id };
    this.#sent.set(action.id, { sent, atMs: this.#nowMs });
    for (const take of this.#takers) this.#give(sent, take);
    return action.id;
  }

  async find(id: string): Promise<ConsoleAction | undefined> {
    return this.#sent.get(id)?.sent.action;
  }

  async results(id: string): Promise<readonly ActionResult[]> {
    return [...(this.#results.get(id)?.values() ?? [])];
  }

  receiver(): ActionReceiver {
    const taken: ((sent: SentAction) => void)[] = [];
    return {
      follow: (take) => {
        taken.push(take);
        this.#takers.add(take);
        const fresh = [...this.#sent.values()].filter(({ atMs }) => this.#nowMs - atMs <= ACTION_DEADLINE_MS);
        for (const { sent } of fresh.toReversed()) this.#give(sent, take);
      },
      report: async (id, target, end) => this.#report(id, target, end),
      refuse: async (id, target, end) => {
        if (this.#results.get(id)?.has(targetKey(target)) !== true) this.#report(id, target, end);
      },
      stop: async () => {
        for (const take of taken) this.#takers.delete(take);
      },
    };
  }

  #report(id: string, target: ActionTarget, end: ActionEnd): void {
    const results = this.#results.get(id) ?? new Map();
    this.#results.set(id, results.set(targetKey(target), { ...target, ...end }));
  }

  /** Gives the action after the sender has continued, as a store does. */
  #give(sent: SentAction, take: (sent: SentAction) => void): void {
    const copy = structuredClone(sent);
    this.clock.after(0, () => {
      if (this.#takers.has(take)) take(copy);
    });
  }

  get #nowMs(): number {
    return this.clock.now().getTime();
  }
}
