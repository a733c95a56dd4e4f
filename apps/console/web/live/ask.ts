import type { Problem } from '../../src/api/actions.schema.js';
import { noteBuild } from './build.js';
import { credentials, me, signedOut } from './session.js';

/** The reason that a request has no answer; `status` 0: the server was not reached. */
export type AskFailure = Readonly<{ status: number; code: string; detail: string; todo: string; retryAfter: number }>;

export class RequestRefused extends Error {
  constructor(readonly refusal: AskFailure) {
    super(refusal.detail);
  }
}

const MOST_KEPT = 120;
const SECONDS = 1_000;

type Kept = Readonly<{ etag: string; body: unknown }>;
const kept = new Map<string, Kept>();
let quietUntil = 0;

/** The last answer of a path, for a page that is opened again. */
export const lastAnswer = (path: string): unknown => kept.get(path)?.body;

export function forgetAnswers(): void {
  kept.clear();
}

function keep(path: string, answer: Kept): void {
  kept.delete(path);
  kept.set(path, answer);
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
}

async function refusalOf(response: Response): Promise<AskFailure> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  const retryAfter = Number(response.headers.get('retry-after') ?? '0') || 0;
  return {
    status: response.status,
    code: problem.code ?? 'failed',
    detail: problem.detail ?? `The console answered ${response.status}.`,
    todo: problem.todo ?? '',
    retryAfter,
  };
}

async function send(path: string, init: RequestInit): Promise<Response> {
  const wait = quietUntil - Date.now();
  if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  const headers = { ...credentials(), ...(init.headers as Record<string, string>) };
  const response = await fetch(path, { ...init, headers, credentials: 'same-origin' }).catch(() => undefined);
  if (response === undefined) {
    const detail = 'The console does not answer.';
    throw new RequestRefused({ status: 0, code: 'not-reached', detail, todo: '', retryAfter: 0 });
  }
  noteBuild(response.headers.get('console-build'));
  if (response.ok || response.status === 304) return response;
  const refusal = await refusalOf(response);
  if (refusal.status === 401) signedOut.value = true;
  if (refusal.status === 429) quietUntil = Date.now() + Math.min(60, Math.max(1, refusal.retryAfter)) * SECONDS;
  throw new RequestRefused(refusal);
}

/** While a page opens, frame and page ask the same: they share one request. */
const OPENING = 5 * SECONDS;
const opening = new Map<string, Promise<unknown>>();

/**
 * The answer of a path under `/api/v1/`; unchanged answers cost the server and the network no body. Once it
 * has opened, a page that asks after a change gets an answer of its own.
 */
export function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  if (performance.now() > OPENING) return readNow<T>(path, signal);
  const shared = opening.get(path) ?? readNow<T>(path).finally(() => opening.delete(path));
  opening.set(path, shared);
  return shared as Promise<T>;
}

/** The place of the stream of events at the first answer. */
let firstPlace = '';
export const placeOfFirstAnswer = (): string => firstPlace;

async function readNow<T>(path: string, signal?: AbortSignal): Promise<T> {
  const before = kept.get(path);
  const headers: Record<string, string> = before === undefined ? {} : { 'if-none-match': before.etag };
  const response = await send(`/api/v1/${path}`, { headers, cache: 'no-store', ...(signal && { signal }) });
  firstPlace ||= response.headers.get('event-place') ?? '';
  if (response.status === 304 && before !== undefined) return before.body as T;
  const body: unknown = await response.json();
  const etag = response.headers.get('etag');
  if (etag !== null) keep(path, { etag, body });
  return body as T;
}

/** Sends a question or an action. */
export async function post<T>(path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  const csrf = me.value?.csrf ?? '';
  const response = await send(`/api/v1/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(csrf === '' ? {} : { 'x-csrf-token': csrf }), ...headers },
  });
  return (await response.json()) as T;
}

export const refusalFrom = (error: unknown): AskFailure =>
  error instanceof RequestRefused
    ? error.refusal
    : { status: 0, code: 'failed', detail: `This page failed: ${String(error)}`, todo: '', retryAfter: 0 };

/** Milliseconds to the next try: 1 s to 60 s, at random up to the double of the one before. */
export const pauseBefore = (tries: number): number =>
  500 + Math.random() * Math.min(60 * SECONDS, 2 ** Math.min(tries, 6) * SECONDS);
