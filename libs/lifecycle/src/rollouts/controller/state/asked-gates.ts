import type { GateAnswer } from '#core/rollout/controller/step/gate-progress';
import type { CheckAnswer } from '#core/rollout/gates/cel-check';
import type { GateQuestion } from '#core/rollout/gates/gate-question';
import type { Clock } from '#platform/clock/clock.port';
import type { Log } from '#platform/telemetry/log.port';

/** Age of an answer that no step has taken in; the question is then asked again. */
const KEPT_MS = 60_000;

export type AskedGatesOptions = Readonly<{
  ask: (question: GateQuestion) => Promise<CheckAnswer>;
  clock: Clock;
  log: Log;
}>;

type Asked = Readonly<{ at: number; answer: GateAnswer | undefined }>;
type AnswerListener = (question: GateQuestion) => void;

/**
 * The questions that steps of rollouts have asked of gates outside. A step does not wait: it takes an answer
 * in once it is there, and then asks again after the gate's interval.
 */
export class AskedGates {
  readonly #asked = new Map<string, Asked>();
  #listener: AnswerListener = () => undefined;

  constructor(private readonly options: AskedGatesOptions) {}

  /** Called when an answer has come. */
  onAnswer(listener: AnswerListener): void {
    this.#listener = listener;
  }

  /** The answer, once; undefined while it is not there yet. */
  take(question: GateQuestion, attempt: number): GateAnswer | undefined {
    const { rollout, wave, cluster, gate } = question;
    const key = JSON.stringify([rollout, wave, cluster, attempt, gate.name]);
    const known = this.#asked.get(key);
    const isKept = known !== undefined && this.#now() - known.at < KEPT_MS;
    if (isKept && known.answer === undefined) return undefined;
    if (isKept) {
      this.#asked.delete(key);
      return known.answer;
    }
    this.#asked.set(key, { at: this.#now(), answer: undefined });
    void this.#ask(key, question);
    return undefined;
  }

  async #ask(key: string, question: GateQuestion): Promise<void> {
    const { ask, log } = this.options;
    const { green, message } = await ask(question);
    const answer = green === undefined ? 'none' : green ? 'green' : 'red';
    const { rollout, wave, cluster, gate } = question;
    log.debug({ rollout, wave, cluster, gate: gate.name, answer, message }, 'asked a gate');
    this.#forgetOld();
    this.#asked.set(key, { at: this.#now(), answer });
    this.#listener(question);
  }

  #forgetOld(): void {
    const oldest = this.#now() - 2 * KEPT_MS;
    for (const [key, { at }] of this.#asked) if (at < oldest) this.#asked.delete(key);
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
