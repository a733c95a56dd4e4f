import { fetchReason } from '#platform/outbound/fetch-reason';
import { withToken } from './hub-token.js';

/** The hub's answer at one path, whatever the status code, or the reason for no answer. */
export type HubAnswer = Readonly<{ reached: true; status: number; text: string } | { reached: false; because: string }>;

const ANSWER_WITHIN_MS = 2_500;
const MAX_BYTES = 16 * 1024 * 1024;

/** Asks one path of the hub. Never rejects. */
export async function askHub(hub: string, path: string, token?: string): Promise<HubAnswer> {
  try {
    const response = await fetch(`${hub}${path}`, {
      ...withToken(token),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return { reached: true, status: response.status, text: await boundedText(response) };
  } catch (error) {
    return { reached: false, because: reasonOf(error) };
  }
}

/** Advice for a hub that wants authentication, or wants another token. */
export const TOKEN_ADVICE = 'name a token of the hub with FLOTILLA_HUB_TOKEN_FILE';

/** One line about a hub that does not answer. */
export const noAnswer = (hub: string, because: string): string =>
  `hub ${hub} does not answer (${because}); name another hub with --hub`;

/** @throws Error if the hub at this address does not answer */
export async function requireHub(hub: string): Promise<void> {
  const answer = await askHub(hub, '/livez');
  if (!answer.reached) throw new Error(noAnswer(hub, answer.because));
}

/** Returns the data in an answer. Returns undefined if it is no JSON. */
export function answerData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${ANSWER_WITHIN_MS} ms`;
  return fetchReason(error);
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw new RangeError('it answers with more than 16 MiB');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
