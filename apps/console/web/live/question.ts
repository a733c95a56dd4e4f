import { useEffect, useState } from 'preact/hooks';
import { type AskFailure, post, refusalFrom } from './ask.js';

/** The answer of a question to a cluster; asked again by `ask`. */
export type Question<T> = Readonly<{ data: T | undefined; refusal: AskFailure | undefined; ask: () => void }>;

/**
 * `name` undefined: not asked yet. `version`: asked again when it changes; the last answer stays meanwhile.
 */
export function useQuestion<T>(name: string | undefined, body: object, version = ''): Question<T> {
  const [answer, setAnswer] = useState<Readonly<{ of: string; data?: T; refusal?: AskFailure }>>({ of: '' });
  const [times, setTimes] = useState(0);
  const of = `${name} ${JSON.stringify(body)}`;
  useEffect(() => {
    if (name === undefined) return;
    let current = true;
    post<T>(`questions/${name}`, body).then(
      (data) => current && setAnswer({ of, data }),
      (error: unknown) =>
        current && setAnswer((before) => ({ ...(before.of === of ? before : {}), of, refusal: refusalFrom(error) })),
    );
    return () => {
      current = false;
    };
  }, [of, version, times]);
  const known = answer.of === of ? answer : undefined;
  return { data: known?.data, refusal: known?.refusal, ask: () => setTimes((before) => before + 1) };
}
