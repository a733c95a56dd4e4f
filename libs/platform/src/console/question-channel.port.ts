import type { ConsoleQuestion, QuestionAnswer } from '#core/fleet/console-questions/console-question';

/** What the console asks of the pollers. */
export type QuestionAsker = Readonly<{
  /** The answer, or that of an equal question of the last half a minute; undefined: none came in time. */
  ask(question: ConsoleQuestion): Promise<QuestionAnswer | undefined>;
}>;

/** What a poller gets: the questions that still wait, then those that come. */
export type QuestionReceiver = Readonly<{
  /** Calls back with each, and not again; a callback that throws loses it. */
  follow(take: (question: ConsoleQuestion) => void): void;
  /** Whether this process is the one that answers the question. */
  claim(question: ConsoleQuestion): Promise<boolean>;
  answer(question: ConsoleQuestion, answer: QuestionAnswer): Promise<void>;
  stop(): Promise<void>;
}>;
