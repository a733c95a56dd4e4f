import type { Redis } from 'ioredis';
import {
  ANSWER_KEPT_SECONDS,
  ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  QuestionAnswer,
  questionKey,
} from '#core/fleet/console-questions/console-question';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import { boundedAnswer } from './bounded-answer.js';
import { FollowedStream, parsedJson } from './followed-stream.js';
import type { QuestionAsker, QuestionReceiver } from './question-channel.port.js';

/**
 * Where questions lie in Redis. The console may write all of it: the poller believes nothing of a question
 * but its shape, and reads what it asks for with its own rights.
 */
const keysOf = (prefix: string) =>
  ({
    stream: `${prefix}:console:questions`,
    asked: (key: string) => `${prefix}:console:asked:${key}`,
    claim: (key: string) => `${prefix}:console:answering:${key}`,
    answer: (key: string) => `${prefix}:console:answer:${key}`,
  }) as const;

const MOST_QUESTIONS = 2_000;
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;

type AskerOptions = Readonly<{ redis: Redis; prefix: string; clock: Clock }>;

/** The console's side. */
export class RedisQuestionAsker implements QuestionAsker {
  readonly #keys: ReturnType<typeof keysOf>;

  constructor(private readonly options: AskerOptions) {
    this.#keys = keysOf(options.prefix);
  }

  async ask(question: ConsoleQuestion): Promise<QuestionAnswer | undefined> {
    const { redis, clock } = this.options;
    const [keys, key] = [this.#keys, questionKey(question)];
    const deadline = clock.now().getTime() + QUESTION_DEADLINE_MS;
    const known = await this.#answer(key);
    if (known !== undefined) return known;
    // The first question is sent; an equal one meanwhile waits for the same answer.
    const isFirst = await redis.set(keys.asked(key), '1', 'PX', QUESTION_DEADLINE_MS, 'NX');
    if (isFirst === 'OK') {
      await redis.xadd(keys.stream, 'MAXLEN', '~', MOST_QUESTIONS, '*', 'question', JSON.stringify(question));
    }
    for (let pause = FIRST_LOOK_MS; clock.now().getTime() < deadline; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
      await clock.sleep(pause);
      const answer = await this.#answer(key);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async #answer(key: string): Promise<QuestionAnswer | undefined> {
    const text = await this.options.redis.get(this.#keys.answer(key));
    return text === null ? undefined : QuestionAnswer.safeParse(parsedJson(text)).data;
  }
}

type ReceiverOptions = AskerOptions & Readonly<{ log: Log }>;

/** The poller's side. Waits for questions on a connection of its own. */
export class RedisQuestionReceiver implements QuestionReceiver {
  readonly #keys: ReturnType<typeof keysOf>;
  readonly #stream: FollowedStream<ConsoleQuestion>;

  constructor(private readonly options: ReceiverOptions) {
    this.#keys = keysOf(options.prefix);
    this.#stream = new FollowedStream({
      ...options,
      stream: this.#keys.stream,
      field: 'question',
      shape: ConsoleQuestion,
      freshMs: QUESTION_DEADLINE_MS,
      what: 'questions of the console',
    });
  }

  follow(take: (question: ConsoleQuestion) => void): void {
    this.#stream.follow(take);
  }

  async claim(question: ConsoleQuestion): Promise<boolean> {
    const key = this.#keys.claim(questionKey(question));
    return (await this.options.redis.set(key, '1', 'PX', QUESTION_DEADLINE_MS, 'NX')) === 'OK';
  }

  async answer(question: ConsoleQuestion, answer: QuestionAnswer): Promise<void> {
    const { redis } = this.options;
    const [keys, key] = [this.#keys, questionKey(question)];
    const sent = JSON.stringify(boundedAnswer(question, answer));
    await redis.set(keys.answer(key), sent, 'EX', 'because' in answer ? 1 : ANSWER_KEPT_SECONDS);
    // After the answer has gone an equal question is sent again.
    await redis.del(keys.claim(key), keys.asked(key));
  }

  stop(): Promise<void> {
    return this.#stream.stop();
  }
}
