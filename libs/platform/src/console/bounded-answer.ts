import type { ConsoleQuestion, QuestionAnswer } from '#core/view/questions/console-question';

/** A larger answer is none: a page cannot show a megabyte. */
const LARGEST_ANSWER = 1_000_000;
/** An API server keeps objects of 1.5 MiB: packed, and as base64, they are smaller than this. */
const LARGEST_OBJECT = 2_000_000;
const TOO_LARGE: QuestionAnswer = {
  because: 'failed',
  message: 'the answer is too large for a page; use the flotilla command',
};

/** The answer, or that it is too large: as JSON it has more characters than a page can show. */
export function boundedAnswer(question: ConsoleQuestion, answer: QuestionAnswer): QuestionAnswer {
  const largest = question.ask === 'whole-object' ? LARGEST_OBJECT : LARGEST_ANSWER;
  return JSON.stringify(answer).length > largest ? TOO_LARGE : answer;
}
