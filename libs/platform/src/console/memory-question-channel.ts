import {
  ANSWER_KEPT_SECONDS,
  type ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  type QuestionAnswer,
  questionKey,
} from '#core/fleet/console-questions/console-question';
import type { Clock } from '../clock/clock.port.js';
import { expiringValues } from '../store/expiring-values.js';
import { boundedAnswer } from './bounded-answer.js';
import type { QuestionAsker, QuestionReceiver } from './question-channel.port.js';

const MOST_ANSWERS = 200;

type Asked = Readonly<{
  question: ConsoleQuestion;
  answered: Promise<QuestionAnswer | undefined>;
  answer: (answer: QuestionAnswer | undefined) => void;
}>;

/** Questions within one process: what the console asks is answered by the poller beside it. */
export class MemoryQuestionChannel implements QuestionAsker {
  /** Those that wait for an answer, by key. */
  readonly #asked = new Map<string, Asked>();
  readonly #claimed = new Set<string>();
  readonly #answers;
  readonly #takers = new Set<(question: ConsoleQuestion) => void>();

  constructor(private readonly clock: Clock) {
    this.#answers = expiringValues<QuestionAnswer>({
      ...{ clock, ttlMs: ANSWER_KEPT_SECONDS * 1_000, most: MOST_ANSWERS },
    });
  }

  async ask(question: ConsoleQuestion): Promise<QuestionAnswer | undefined> {
    const key = questionKey(question);
    const known = this.#answers.get(key) ?? (await (this.#asked.get(key) ?? this.#send(key, question)).answered);
    return structuredClone(known);
  }

  receiver(): QuestionReceiver {
    const taken: ((question: ConsoleQuestion) => void)[] = [];
    return {
      follow: (take) => {
        taken.push(take);
        this.#takers.add(take);
        for (const { question } of this.#asked.values()) this.#give(question, take);
      },
      claim: async (question) => {
        const key = questionKey(question);
        const isFirst = !this.#claimed.has(key);
        this.#claimed.add(key);
        return isFirst;
      },
      answer: async (question, answer) => this.#answer(question, boundedAnswer(question, answer)),
      stop: async () => {
        for (const take of taken) this.#takers.delete(take);
      },
    };
  }

  #send(key: string, question: ConsoleQuestion): Asked {
    const { promise, resolve } = Promise.withResolvers<QuestionAnswer | undefined>();
    const cancel = this.clock.after(QUESTION_DEADLINE_MS, () => this.#asked.get(key)?.answer(undefined));
    const asked: Asked = {
      question,
      answered: promise,
      answer: (answer) => {
        cancel();
        this.#asked.delete(key);
        this.#claimed.delete(key);
        resolve(answer);
      },
    };
    this.#asked.set(key, asked);
    for (const take of this.#takers) this.#give(question, take);
    return asked;
  }

  #answer(question: ConsoleQuestion, answer: QuestionAnswer): void {
    const key = questionKey(question);
    // What failed is asked anew by the next question.
    if (!('because' in answer)) this.#answers.set(key, structuredClone(answer));
    this.#asked.get(key)?.answer(answer);
  }

  /** After the asker has gone on, as from a store. */
  #give(question: ConsoleQuestion, take: (question: ConsoleQuestion) => void): void {
    const copy = structuredClone(question);
    this.clock.after(0, () => {
      if (this.#takers.has(take)) take(copy);
    });
  }
}
