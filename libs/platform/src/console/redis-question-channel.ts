import type { Redis } from 'ioredis';
import {
  ANSWER_KEPT_SECONDS,
  ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  QuestionAnswer,
  questionKey,
} from '#core/view/questions/console-question';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import { boundedAnswer } from './bounded-answer.js';
import { FollowedStream, parsedJson } from './followed-stream.js';
import type { Asker, QuestionAsker, QuestionReceiver, SentQuestion } from './question-channel.port.js';
import { sendEntry } from './sent-entry.js';

/**
 * Keys of questions in Redis. The console may write all of them: the poller believes only the proof of a
 * question, and answers it with its own rights. `refused` holds an answer for one message alone.
 */
const keysOf = (prefix: string) =>
  ({
    stream: `${prefix}:console:questions`,
    refused: (delivery: string) => `${prefix}:console:answer:refused:${delivery}`,
    claim: (key: string) => `${prefix}:console:answering:${key}`,
    answer: (key: string) => `${prefix}:console:answer:${key}`,
  }) as const;

const REFUSAL_KEPT_SECONDS = 30;
const MOST_QUESTIONS = 2_000;
const FIRST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 250;

type AskerOptions = Readonly<{ redis: Redis; prefix: string; clock: Clock }>;

/** The console's side. */
export class RedisQuestionAsker implements QuestionAsker {
  readonly #keys: ReturnType<typeof keysOf>;
  /** Questions under way, by key and session. */
  readonly #asking = new Map<string, Promise<QuestionAnswer | undefined>>();

  constructor(private readonly options: AskerOptions) {
    this.#keys = keysOf(options.prefix);
  }

  /** Asks a question, once for each session. The first one that is proved is answered, for all who wait. */
  async ask(question: ConsoleQuestion, asker: Asker): Promise<QuestionAnswer | undefined> {
    const key = questionKey(question);
    const known = await this.#answer(key, '');
    if (known !== undefined) return known;
    const own = `${key}\n${asker.session}`;
    const asking = this.#asking.get(own) ?? this.#send(question, key, asker).finally(() => this.#asking.delete(own));
    this.#asking.set(own, asking);
    return asking;
  }

  async #send(question: ConsoleQuestion, key: string, { prove }: Asker): Promise<QuestionAnswer | undefined> {
    const { redis, clock } = this.options;
    const deadline = clock.now().getTime() + QUESTION_DEADLINE_MS;
    const fields = ['question', JSON.stringify(question), 'proof', await prove()];
    const delivery = await sendEntry(redis, this.#keys.stream, MOST_QUESTIONS, fields);
    for (let pause = FIRST_LOOK_MS; clock.now().getTime() < deadline; pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
      await clock.sleep(pause);
      const answer = await this.#answer(key, delivery);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async #answer(key: string, delivery: string): Promise<QuestionAnswer | undefined> {
    const { answer, refused } = this.#keys;
    const [text, refusal] = await this.options.redis.mget(answer(key), refused(delivery));
    const found = text ?? refusal ?? null;
    return found === null ? undefined : QuestionAnswer.safeParse(parsedJson(found)).data;
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

  follow(take: (sent: SentQuestion) => void): void {
    this.#stream.follow((question, frame) => take({ question, ...frame }));
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
    // After the answer has gone an equal question is answered again.
    await redis.del(keys.claim(key));
  }

  async refuse({ delivery }: SentQuestion, answer: QuestionAnswer): Promise<void> {
    const key = this.#keys.refused(delivery);
    await this.options.redis.set(key, JSON.stringify(answer), 'EX', REFUSAL_KEPT_SECONDS);
  }

  stop(): Promise<void> {
    return this.#stream.stop();
  }
}
