import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import type { AuditTrail } from '#platform/console/audit-trail.port';
import type { Log } from '#platform/telemetry/log.port';
import type { ViewReader } from '#platform/view/view-store.port';
import type { ApiReply } from '../api/api-reply.js';
import { badRequest, notReady, RequestProblem } from '../api/problem.js';
import type { AuditEvent, AuditLog, AuditSubject } from '../audit/audit-log.js';
import type { IconAddresses } from '../catalog/icon-addresses.js';
import type { KeptFacets } from '../lists/facets.js';
import type { QuestionTurns } from '../questions/question-turns.js';
import type { ApiRoute, RouteActions, RouteDecisions } from '../routes/route.js';
import type { LiveRows } from '../rows/live-rows.js';
import type { VisibleRows } from '../rows/visible-rows.js';
import type { Person } from '../sign-in/person.js';

type RouteRequest = Readonly<{
  person: Person;
  subject: AuditSubject;
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}>;

type Parts = Readonly<{
  view: LiveRows;
  visible: VisibleRows;
  reader: ViewReader;
  facets: KeptFacets;
  icons: IconAddresses;
  log: Log;
  audit: AuditLog;
  trail: AuditTrail | undefined;
  actions: RouteActions | undefined;
  decisions: RouteDecisions | undefined;
  questions: QuestionTurns | undefined;
  /** Returns the place of the stream of events. */
  place: () => string;
  /** The build of the pages; empty: there are none. */
  build: string;
}>;

const FIRST_ROWS_WITHIN_MS = 5_000;
const SMALLEST_ZIPPED = 1_400;
const zip = promisify(gzip);

/** Carries a route out: checks the request, answers with the part that the person may see. */
export class RouteRunner {
  constructor(private readonly parts: Parts) {}

  async answer(route: ApiRoute, request: RouteRequest): Promise<ApiReply> {
    const { view, visible, reader, trail, facets, icons, actions, decisions, questions, place, build } = this.parts;
    const query = route.query === undefined ? undefined : parsed(route.query, request.query);
    const body = route.body === undefined ? undefined : parsed(route.body, request.body);
    await this.ready();
    const { person, params, headers, subject } = request;
    const rows = visible.of(person.rights);
    const before = { 'event-place': place(), ...(build !== '' && { 'console-build': build }) };
    const audit = (event: AuditEvent) => this.parts.audit.write(subject, event);
    const of = { person, params, query, body, headers, decisions };
    const answer = await route.run({ ...of, rows, view, reader, trail, facets, icons, audit, actions, questions });
    const reply = await jsonReply(JSON.stringify(answer), route, headers);
    return { ...reply, headers: { ...reply.headers, ...before } };
  }

  /**
   * Resolves when there are rows.
   *
   * @throws RequestProblem if that takes too long
   */
  async ready(): Promise<void> {
    const { view } = this.parts;
    view.start();
    if (view.asOf !== undefined) return;
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(
      () => late.reject(notReady('The console has not read the fleet yet.')),
      FIRST_ROWS_WITHIN_MS,
    );
    await Promise.race([view.loaded, late.promise]).finally(() => clearTimeout(timer));
  }

  /** Returns the problem as a client may know it. */
  problem(error: unknown): ApiReply {
    const problem = error instanceof RequestProblem ? error : this.#failed(error);
    const headers = { ...problem.headers, 'content-type': 'application/problem+json', 'cache-control': 'no-store' };
    return { status: problem.status, headers, body: JSON.stringify(problem.body) };
  }

  #failed(error: unknown): RequestProblem {
    const { statusCode } = error as { statusCode?: number };
    if (statusCode === 413)
      return new RequestProblem(413, 'too-large', 'The request is too large.', 'Send less at once.');
    if (statusCode === 415)
      return new RequestProblem(415, 'wrong-type', 'The request is not JSON.', 'Send application/json.');
    if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
      return badRequest('The request cannot be read.');
    const id = randomUUID();
    this.parts.log.error({ error, request: id }, 'a request of the console failed');
    return new RequestProblem(
      500,
      'failed',
      'The console failed to answer this request.',
      `See its log: request ${id}.`,
    );
  }
}

function parsed(type: z.ZodType, value: unknown): unknown {
  const { success, data, error } = type.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw badRequest(`${issue?.path.join('.') || 'The request'}: ${issue?.message ?? 'not understood'}`);
}

/**
 * True if the answer is not compressed: the marks of a session must not be compressed next to text that
 * others choose.
 */
const isPlain = ({ path }: ApiRoute): boolean => path === '/me';

async function jsonReply(text: string, route: ApiRoute, headers: RouteRequest['headers']): Promise<ApiReply> {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
  const common = { 'cache-control': 'private, no-cache', vary: 'authorization, cookie, accept-encoding' };
  if (route.method === 'GET' && headers['if-none-match'] === etag)
    return { status: 304, headers: { ...common, etag }, body: '' };
  const all = {
    ...common,
    'content-type': 'application/json; charset=utf-8',
    ...(route.method === 'GET' ? { etag } : {}),
  };
  const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  if (!takesGzip || text.length < SMALLEST_ZIPPED || isPlain(route))
    return { status: route.status, headers: all, body: text };
  return { status: route.status, headers: { ...all, 'content-encoding': 'gzip' }, body: await zip(text, { level: 4 }) };
}
