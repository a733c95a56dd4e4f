import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';

/** The session or person that asks. */
export type Asker = Readonly<{
  /** Names the session. Equal questions of one session are one. */
  session: string;
  /** Makes the proof of the person, if the question must be sent. */
  prove: () => Promise<string>;
}>;

/** Asks questions of the console to the pollers. */
export type QuestionAsker = Readonly<{
  /** The answer, or that of an equal question of the last half a minute; undefined: none came in time. */
  ask(question: ConsoleQuestion, asker: Asker): Promise<QuestionAnswer | undefined>;
}>;

/** A question as a poller gets it. Nothing of it counts before its proof was checked. */
export type SentQuestion = Readonly<{
  question: ConsoleQuestion;
  /** Empty: none came with it. */
  proof: string;
  /** Names the message that carried both, and the session that waits for its answer. */
  delivery: string;
}>;

/** Receives questions in a poller: those that still wait, then new ones. */
export type QuestionReceiver = Readonly<{
  /** Calls back with each, and not again; a callback that throws loses it. */
  follow(take: (sent: SentQuestion) => void): void;
  /** True if this process is the one that answers the question. */
  claim(question: ConsoleQuestion): Promise<boolean>;
  /** Answers all who wait for the question. */
  answer(question: ConsoleQuestion, answer: QuestionAnswer): Promise<void>;
  /** Answers only the sender of this message. */
  refuse(sent: SentQuestion, answer: QuestionAnswer): Promise<void>;
  stop(): Promise<void>;
}>;
