import { LRUCache } from 'lru-cache';
import {
  ANSWER_KEPT_SECONDS,
  type ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  QuestionAnswer,
  questionKey,
} from '#core/view/questions/console-question';
import type { Clock } from '../clock/clock.port.js';
import { expiringValues } from '../store/expiring-values.js';
import { boundedAnswer } from './bounded-answer.js';
import { parsedJson } from './followed-stream.js';
import type { Asker, QuestionAsker, QuestionReceiver, SentQuestion } from './question-channel.port.js';

/** Characters of all answers that are kept, as JSON. */
const MOST_CHARACTERS = 32_000_000;
const MOST_CLAIMS = 10_000;

type Asked = Readonly<{
  key: string;
  /** Undefined until its proof is made. */
  sent: SentQuestion | undefined;
  /** JSON of the answer; undefined: none came in time. */
  answered: Promise<string | undefined>;
  answer: (text: string | undefined) => void;
}>;
type OpenAsked = { -readonly [Part in keyof Asked]: Asked[Part] };

/** Questions from the console to the poller of the same process. */
export class MemoryQuestionChannel implements QuestionAsker {
  /** Questions that wait for an answer, by key and session. */
  readonly #asked = new Map<string, OpenAsked>();
  #deliveries = 0;
  readonly #claimed;
  /** JSON of answers, by key. */
  readonly #answers: LRUCache<string, string>;
  readonly #takers = new Set<(sent: SentQuestion) => void>();

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

  async ask(question: ConsoleQuestion, { session, prove }: Asker): Promise<QuestionAnswer | undefined> {
    const key = questionKey(question);
    const own = `${key}\n${session}`;
    const waiting = () => (this.#asked.get(own) ?? this.#send(own, key, question, prove)).answered;
    const text = this.#answers.get(key) ?? (await waiting());
    return text === undefined ? undefined : QuestionAnswer.safeParse(parsedJson(text)).data;
  }

  receiver(): QuestionReceiver {
    const taken: ((sent: SentQuestion) => void)[] = [];
    return {
      follow: (take) => {
        taken.push(take);
        this.#takers.add(take);
        for (const { sent } of this.#asked.values()) if (sent !== undefined) this.#give(sent, take);
      },
      claim: async (question) => {
        const key = questionKey(question);
        const isFirst = !this.#claimed.has(key);
        this.#claimed.set(key, true);
        return isFirst;
      },
      answer: async (question, answer) => this.#answer(question, boundedAnswer(question, answer)),
      refuse: async ({ delivery }, answer) => {
        for (const one of this.#asked.values()) if (one.sent?.delivery === delivery) one.answer(JSON.stringify(answer));
      },
      stop: async () => {
        for (const take of taken) this.#takers.delete(take);
      },
    };
  }

  /** Sends a question, once for each session. The first one that is proved is answered, for all who wait. */
  #send(own: string, key: string, question: ConsoleQuestion, prove: Asker['prove']): Asked {
    const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
    const end = () => {
      cancel();
      this.#asked.delete(own);
    };
    const cancel = this.clock.after(QUESTION_DEADLINE_MS, () => this.#asked.get(own)?.answer(undefined));
    const asked: OpenAsked = {
      ...{ key, sent: undefined, answered: promise },
      answer: (answer) => {
        end();
        this.#claimed.delete(key);
        resolve(answer);
      },
    };
    this.#asked.set(own, asked);
    prove().then(
      (proof) => {
        const sent = { question, proof, delivery: String(++this.#deliveries) };
        asked.sent = sent;
        if (this.#asked.get(own) !== asked) return;
        for (const take of this.#takers) this.#give(sent, take);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    return asked;
  }

  #answer(question: ConsoleQuestion, answer: QuestionAnswer): void {
    const [key, text] = [questionKey(question), JSON.stringify(answer)];
    // A failure is not kept: the next question asks again.
    if (!('because' in answer)) this.#answers.set(key, text);
    for (const one of [...this.#asked.values()]) if (one.key === key) one.answer(text);
  }

  /** Gives the question after the asker has continued, as a store does. */
  #give(sent: SentQuestion, take: (sent: SentQuestion) => void): void {
    const copy = structuredClone(sent);
    this.clock.after(0, () => {
      if (this.#takers.has(take)) take(copy);
    });
  }
}
