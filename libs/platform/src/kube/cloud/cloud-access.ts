import { refusalIn } from '#core/cluster/cloud-logins/cloud-answers';
import { type CloudAnswer, type CloudHttp, CloudLoginError, type CloudQuestion } from './cloud-http.port.js';

/** Things that the login of a cloud needs. */
export type CloudAccess = Readonly<{ http: CloudHttp; now: () => number; signal: AbortSignal }>;

/**
 * Asks, and reads an answer of success with `read`.
 * @throws CloudLoginError if the service refuses, or its answer is another one than its pages say
 */
export async function askFor<T>(
  question: CloudQuestion,
  { http, signal }: CloudAccess,
  read: (answer: CloudAnswer) => T | undefined,
): Promise<T> {
  const answer = await http.ask(question, signal);
  const { service } = question;
  if (answer.status !== 200) {
    const why = refusalIn(answer.text);
    throw new CloudLoginError(`${service} answered ${answer.status}${why === '' ? '' : `: ${why}`}`);
  }
  const value = read(answer);
  if (value === undefined) throw new CloudLoginError(`the answer of ${service} has no login`);
  return value;
}

/** Returns the header and the body of a form. */
export const form = (fields: Readonly<Record<string, string>>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  body: new URLSearchParams(fields).toString(),
});
