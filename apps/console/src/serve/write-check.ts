import { timingSafeEqual } from 'node:crypto';
import { RequestProblem } from '../api/problem.js';
import type { Person } from '../sign-in/person.js';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const refusal = (detail: string): RequestProblem =>
  new RequestProblem(403, 'cross-site', detail, 'Use the pages of the console, or send the same headers as they do.');

const isEqual = (a: string, b: string): boolean => {
  const [first, second] = [Buffer.from(a), Buffer.from(b)];
  return first.length === second.length && timingSafeEqual(first, second);
};

/**
 * A write comes from a page of the console itself, not from another site in the same browser.
 *
 * @throws RequestProblem otherwise
 */
export function checkWrite(headers: Headers, person: Person, origin: string): void {
  if (!/^application\/json\b/.test(String(headers['content-type'] ?? '')))
    throw new RequestProblem(415, 'wrong-type', 'The request is not JSON.', 'Send application/json.');
  const site = headers['sec-fetch-site'];
  const from = headers['origin'];
  if (site !== undefined && site !== 'same-origin') throw refusal('The request comes from another site.');
  if (site === undefined && from !== undefined && from !== origin)
    throw refusal('The request comes from another origin.');
  // A bearer key is never sent by a browser on its own.
  if (person.csrf === '') return;
  if (site === undefined && from === undefined) throw refusal('The request has no origin.');
  if (!isEqual(String(headers['x-csrf-token'] ?? ''), person.csrf))
    throw refusal('The token of the session is missing.');
}
