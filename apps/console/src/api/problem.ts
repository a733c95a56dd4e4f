import type { Problem } from './actions.schema.js';

/** A request that is not answered as asked: RFC 9457. Holds nothing that the asker may not know. */
export class RequestProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    detail: string,
    readonly todo: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }

  get body(): Problem {
    const { status, code, message, todo } = this;
    return {
      type: `urn:flotilla:problem:${code}`,
      title: TITLES[status] ?? 'Refused',
      status,
      code,
      detail: message,
      todo,
    };
  }
}

/**
 * Action that a person may not do. The answer has only facts that they may know; the reason is for the audit
 * log.
 */
export class NotAllowed extends RequestProblem {
  constructor(
    answer: RequestProblem,
    readonly verb: string,
    readonly targets: readonly string[],
    readonly because: string,
  ) {
    super(answer.status, answer.code, answer.message, answer.todo, answer.headers);
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  413: 'Too large',
  415: 'Wrong type of content',
  421: 'Wrong host',
  429: 'Too many requests',
  500: 'Failed',
  502: 'No answer',
  503: 'Not ready',
  504: 'No answer',
};

export const notFound = (what: string): RequestProblem =>
  new RequestProblem(404, 'not-found', `No ${what} is visible to you.`, 'See its last events in Changes.');

export const wrongHost = (): RequestProblem =>
  new RequestProblem(
    421,
    'wrong-host',
    'The console does not answer to this host name.',
    'Use the configured address of the console.',
  );

export const badRequest = (detail: string): RequestProblem =>
  new RequestProblem(400, 'bad-request', detail, 'Correct the request; /openapi.json describes the API.');

export const notSignedIn = (): RequestProblem =>
  new RequestProblem(
    401,
    'signed-out',
    'You are not signed in, or the sign-in has ended.',
    'Sign in again; on this machine `flotilla console link` prints a link.',
  );

export const notReady = (detail: string): RequestProblem =>
  new RequestProblem(503, 'not-ready', detail, 'Wait a few seconds.', { 'retry-after': '3' });

/** Refusal by applier or poller. The message is theirs. */
export const refusedByHub = (message: string): RequestProblem =>
  new RequestProblem(
    403,
    'refused-by-hub',
    'The hub refused to answer this console.',
    `${message}. See the log of the poller.`,
  );

/** The session goes on, but proves nothing to the hub any more. */
export const signInAgain = (): RequestProblem =>
  new RequestProblem(
    401,
    'sign-in-again',
    'Your sign-in at the issuer has expired, so the hub cannot verify your identity.',
    'Sign in again: you return to this page with your selection and comment.',
  );
