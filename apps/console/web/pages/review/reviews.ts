import { useEffect, useState } from 'preact/hooks';
import type { ReviewAnswer } from '../../../src/api/questions.schema.js';
import { type AskFailure, post, refusalFrom } from '../../live/ask.js';

type Answered = Readonly<{ hash: string; review?: ReviewAnswer; refusal?: AskFailure }>;

/** The reviews of several classes. `isComplete`: all have an answer. */
export type Reviews = Readonly<{ answers: readonly Answered[]; isComplete: boolean; renew: () => void }>;

/** Asks for the review of each class in turn: each asks all clusters of its class. */
export function useReviews(hashes: readonly string[]): Reviews {
  const [answers, setAnswers] = useState<readonly Answered[]>([]);
  const [turn, setTurn] = useState(0);
  const key = hashes.join(' ');
  useEffect(() => {
    let isCurrent = true;
    setAnswers([]);
    const ask = async () => {
      for (const hash of hashes) {
        const answer = await post<ReviewAnswer>('questions/review', { hash }).then(
          (review): Answered => ({ hash, review }),
          (error: unknown): Answered => ({ hash, refusal: refusalFrom(error) }),
        );
        if (!isCurrent) return;
        setAnswers((before) => [...before, answer]);
      }
    };
    void ask();
    return () => {
      isCurrent = false;
    };
  }, [key, turn]);
  const renew = () => setTurn((before) => before + 1);
  return { answers, isComplete: answers.length === hashes.length, renew };
}
