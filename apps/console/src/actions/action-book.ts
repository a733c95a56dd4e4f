import { ACTION_DEADLINE_MS, type ConsoleAction, targetKey } from '#core/view/actions/console-action';
import type { Clock } from '#platform/clock/clock.port';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { Log } from '#platform/telemetry/log.port';
import type { ActionAnswer, ActionResult } from '../api/actions.schema.js';

/** State of an action that was sent from this process. */
type OpenAction = {
  readonly action: ConsoleAction;
  readonly ended: Map<string, ActionResult>;
  /** The targets that the applier was asked about. */
  readonly pending: Map<string, ActionResult>;
  readonly untilMs: number;
  readonly onResults: (answer: ActionAnswer, news: readonly ActionResult[]) => Promise<void>;
};

type Options = Readonly<{ sender: ActionSender; clock: Clock; log: Log }>;

const ASK_EVERY_MS = 250;
/** An applier answers after the deadline if its cluster used all of it. */
const ANSWER_WITHIN_MS = ACTION_DEADLINE_MS + 5_000;
const FORGOTTEN_AFTER_MS = 3_600_000;
const UNANSWERED = 'No applier answered. See the row for the result.';

/** The actions under way: asks for their results until all are there, or half a minute has passed. */
export class ActionBook {
  readonly #open = new Map<string, OpenAction>();
  #cancel: (() => void) | undefined;
  #asking: Promise<void> = Promise.resolve();

  constructor(private readonly options: Options) {}

  /** `ended`: targets that were not sent. */
  note(
    action: ConsoleAction,
    sent: readonly ActionResult[],
    ended: readonly ActionResult[],
    onResults: OpenAction['onResults'],
  ): ActionAnswer {
    const byKey = (results: readonly ActionResult[]) => new Map(results.map((one) => [targetKey(one), one]));
    const untilMs = this.options.clock.now().getTime() + ANSWER_WITHIN_MS;
    const open = { action, ended: byKey(ended), pending: byKey(sent), untilMs, onResults };
    this.#forgetOld();
    this.#open.set(action.id, open);
    this.#later();
    return answerOf(open);
  }

  /** Returns the person and the answer of an action; undefined if another console process sent it. */
  find(id: string): Readonly<{ by: string; answer: ActionAnswer }> | undefined {
    const open = this.#open.get(id);
    return open && { by: open.action.by, answer: answerOf(open) };
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#asking;
  }

  #forgetOld(): void {
    const now = this.options.clock.now().getTime();
    for (const [id, { untilMs }] of this.#open) if (untilMs + FORGOTTEN_AFTER_MS < now) this.#open.delete(id);
  }

  #later(): void {
    const { clock, log } = this.options;
    this.#cancel ??= clock.after(ASK_EVERY_MS, () => {
      this.#asking = this.#ask()
        .catch((error: unknown) => log.warn({ error: String(error) }, 'results of actions were not read'))
        .finally(() => {
          this.#cancel = undefined;
          if (this.#pending().length > 0) this.#later();
        });
    });
  }

  #pending(): readonly OpenAction[] {
    return [...this.#open.values()].filter(({ pending }) => pending.size > 0);
  }

  async #ask(): Promise<void> {
    for (const open of this.#pending()) {
      const isLate = this.options.clock.now().getTime() >= open.untilMs;
      const results = await this.options.sender.results(open.action.id).catch((error: unknown) => {
        if (isLate) return [];
        throw error;
      });
      const known = results.filter((one) => open.pending.has(targetKey(one)));
      const late = isLate
        ? [...open.pending.values()].filter((one) => known.every((other) => targetKey(other) !== targetKey(one)))
        : [];
      const news = [
        ...known,
        ...late.map((one): ActionResult => ({ ...one, outcome: 'unknown', message: UNANSWERED })),
      ];
      if (news.length === 0) continue;
      for (const result of news) {
        open.pending.delete(targetKey(result));
        open.ended.set(targetKey(result), result);
      }
      await open.onResults(answerOf(open), news);
    }
  }
}

function answerOf({ action, ended, pending }: OpenAction): ActionAnswer {
  const { id, verb, by, at } = action;
  const results = action.targets.flatMap((target) => {
    const key = targetKey(target);
    return ended.get(key) ?? pending.get(key) ?? [];
  });
  return { id, verb, by, at, results };
}
