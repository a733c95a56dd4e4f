import { LRUCache } from 'lru-cache';
import {
  ANSWER_KEPT_SECONDS,
  type ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  QuestionAnswer,
  questionKey,
} from '#core/fleet/console-questions/console-question';
import type { Clock } from '../clock/clock.port.js';
import { expiringValues } from '../store/expiring-values.js';
import { boundedAnswer } from './bounded-answer.js';
import { parsedJson } from './followed-stream.js';
import type { QuestionAsker, QuestionReceiver } from './question-channel.port.js';

/** Characters of all answers that are kept, as JSON. */
const MOST_CHARACTERS = 32_000_000;
const MOST_CLAIMS = 10_000;

type Asked = Readonly<{
  question: ConsoleQuestion;
  /** JSON of the answer; undefined: none came in time. */
  answered: Promise<string | undefined>;
  answer: (text: string | undefined) => void;
}>;

/** Questions from the console to the poller of the same process. */
export class MemoryQuestionChannel implements QuestionAsker {
  /** Those that wait for an answer, by key. */
  readonly #asked = new Map<string, Asked>();
  readonly #claimed;
  /** JSON of answers, by key. */
  readonly #answers: LRUCache<string, string>;
  readonly #takers = new Set<(question: ConsoleQuestion) => void>();

  constructor(private readonly clock: Clock) {
    this.#claimed = expiringValues<true>({ clock, ttlMs: QUESTION_DEADLINE_MS, most: MOST_CLAIMS });
    this.#answers = new LRUCache({
      maxSize: MOST_CHARACTERS,
      sizeCalculation: (text) => text.length,
      ttl: ANSWER_KEPT_SECONDS * 1_000,
      ttlResolution: 0,
      perf: { now: () => clock.now().getTime() },
    });
  }

  async ask(question: ConsoleQuestion): Promise<QuestionAnswer | undefined> {
    const key = questionKey(question);
    const text = this.#answers.get(key) ?? (await (this.#asked.get(key) ?? this.#send(key, question)).answered);
    return text === undefined ? undefined : QuestionAnswer.safeParse(parsedJson(text)).data;
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
        this.#claimed.set(key, true);
        return isFirst;
      },
      answer: async (question, answer) => this.#answer(question, boundedAnswer(question, answer)),
      stop: async () => {
        for (const take of taken) this.#takers.delete(take);
      },
    };
  }

  #send(key: string, question: ConsoleQuestion): Asked {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
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
    const [key, text] = [questionKey(question), JSON.stringify(answer)];
    // A failure is not kept: the next question asks again.
    if (!('because' in answer)) this.#answers.set(key, text);
    this.#asked.get(key)?.answer(text);
  }

  /** After the asker has gone on, as from a store. */
  #give(question: ConsoleQuestion, take: (question: ConsoleQuestion) => void): void {
    const copy = structuredClone(question);
    this.clock.after(0, () => {
      if (this.#takers.has(take)) take(copy);
    });
  }
}
