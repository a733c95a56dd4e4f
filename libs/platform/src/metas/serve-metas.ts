import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { ByteRange } from '#core/catalog/metas/byte-range';
import { type CatalogPlace, type MetasQuestion, routeMetas } from '#core/catalog/metas/metas-route';
import { type MetasRequest, planAll, planMetas } from '#core/catalog/metas/plan-response';
import type { LowerCaseHeaders } from '#core/catalog/metas/preconditions';
import { catalogNotFound, type ResponsePlan, refusal, serverError, tooBusy } from '#core/catalog/metas/response-plan';
import { type Admission, refusalHeaders } from '#core/kernel/http-access/admission';
import { passBack } from '../peers/pass-back.js';
import type { PeerAnswer } from '../peers/peer-requests.js';
import { PeerUnreachable } from '../peers/peer-unreachable.error.js';
import { type Log, silentLog } from '../telemetry/log.port.js';
import type { MetasContent } from './metas-content.js';

/** A catalog's content and since when it is served. */
export type ServedContent = Readonly<{ content: MetasContent; modified: Date }>;

type MetasServerOptions = Readonly<{
  place: CatalogPlace;
  /** Finds the catalog of the names in the path. Returns undefined if there is none. */
  find: (names: readonly string[]) => ServedContent | undefined;
  /** Decides if the request may be answered; without it, every request may. */
  admit?: (question: MetasQuestion, authorization: string | undefined) => Promise<Admission>;
  /**
   * Returns the answer of another process that has the catalogs of that place. Returns undefined if there is
   * none.
   */
  elsewhere?: (question: MetasQuestion, request: IncomingMessage, target: string) => Promise<PeerAnswer | undefined>;
  log?: Log;
  /** Bodies that are sent at the same time; beyond, clients get 503 with Retry-After. */
  maxBodies?: number;
}>;

/** Bodies up to here are read, compressed and sent in one go. */
const AT_ONCE_BYTES = 256 * 1024;
/** A body takes less than half a MiB of memory on its way. */
const MAX_BODIES = 128;
/** Time without a read after which a client is cut off. */
const STALLED_MS = 60_000;
const compress = promisify(gzip);

/**
 * Answers requests for catalogs' contents, whatever server they come in by: `all` and
 * `metas` of catalogd's API.
 */
export class MetasServer {
  #bodies = 0;

  constructor(private readonly options: MetasServerOptions) {}

  /**
   * `target` is the path with its query, as sent. Never rejects: errors are answered
   * to the client and logged.
   */
  async answer(request: IncomingMessage, response: ServerResponse, target = request.url ?? '/'): Promise<void> {
    const method = request.method ?? 'GET';
    const routed = routeMetas(this.options.place, method, target);
    try {
      const refused = 'endpoint' in routed ? await this.#refusal(routed, request) : undefined;
      const served = 'endpoint' in routed && refused === undefined ? this.options.find(routed.names) : undefined;
      if ('endpoint' in routed && refused === undefined && served === undefined) {
        const answer = await this.options.elsewhere?.(routed, request, target);
        if (answer !== undefined) return await passBack(answer, response);
      }
      const asked = { method, headers: headersOf(request) };
      const plan = refused ?? ('endpoint' in routed ? planFor(routed, asked, served) : routed);
      const withBody = method === 'HEAD' ? { ...plan, body: [] } : plan;
      await this.#perform(withBody, response, served?.content);
    } catch (error) {
      this.#failed(response, target, error);
    }
  }

  async #refusal(question: MetasQuestion, { headers }: IncomingMessage): Promise<ResponsePlan | undefined> {
    const admission = await this.options.admit?.(question, headers.authorization);
    if (admission === undefined || admission.admitted) return undefined;
    return refusal(admission.status, admission.message, refusalHeaders(admission.status));
  }

  async #perform(plan: ResponsePlan, response: ServerResponse, content: MetasContent | undefined): Promise<void> {
    const size = plan.body.reduce((sum, piece) => sum + piece.length, 0);
    if (content === undefined || size === 0) return sendTexts(plan, response);
    if (this.#bodies >= (this.options.maxBodies ?? MAX_BODIES)) return sendTexts(tooBusy, response);
    this.#bodies += 1;
    try {
      const held = plan.gzip ? undefined : heldBytes(plan.body, content);
      if (held !== undefined) await sendHeld({ plan, size }, response, held);
      else if (size <= AT_ONCE_BYTES) await sendAtOnce(plan, response, content);
      else await stream(plan, response, content);
    } finally {
      this.#bodies -= 1;
    }
  }

  #failed(response: ServerResponse, target: string, error: unknown): void {
    const gone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!gone)
      (this.options.log ?? silentLog).error({ target, err: error }, 'could not serve the content of a catalog');
    if (response.headersSent) response.destroy();
    else sendTexts(error instanceof PeerUnreachable ? unreachable(error) : serverError, response);
  }
}

function planFor(
  { endpoint, query }: MetasQuestion,
  request: MetasRequest,
  served: ServedContent | undefined,
): ResponsePlan {
  if (served === undefined) return catalogNotFound;
  const { content, modified } = served;
  const facts = { size: content.size, modified };
  return endpoint === 'all' ? planAll(request, facts) : planMetas(request, facts, () => content.index.find(query));
}

/**
 * Returns the headers. Node gives one text for a header that may come several times; lists are kept by their
 * first value.
 */
const headersOf = ({ headers }: IncomingMessage): LowerCaseHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));

const unreachable = ({ message }: PeerUnreachable): ResponsePlan => refusal(503, message, refusalHeaders(503));

function sendTexts({ status, headers, body }: ResponsePlan, response: ServerResponse): void {
  response.writeHead(status, headers);
  response.end(body.filter((piece) => typeof piece === 'string').join(''));
}

/** `size`: bytes of the body. */
type Sized = Readonly<{ plan: ResponsePlan; size: number }>;

/** Returns the body, if all of it is in memory. */
function heldBytes(body: readonly (string | ByteRange)[], content: MetasContent): Uint8Array[] | undefined {
  const ranges = body.filter((piece) => typeof piece !== 'string');
  return ranges.length === body.length ? content.held(ranges) : undefined;
}

/** Gives the kernel the bytes from their place in memory; only small pieces are joined before. */
async function sendHeld({ plan, size }: Sized, response: ServerResponse, pieces: Uint8Array[]): Promise<void> {
  response.writeHead(plan.status, plan.headers);
  if (size <= AT_ONCE_BYTES) {
    response.end(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces, size));
    return;
  }
  response.setTimeout(STALLED_MS, () => response.destroy());
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  await finished(response);
}

async function sendAtOnce(plan: ResponsePlan, response: ServerResponse, content: MetasContent): Promise<void> {
  const ranges = plan.body.filter((piece) => typeof piece !== 'string');
  const isPlain = ranges.length === plan.body.length;
  const pieces = isPlain ? content.readTogether(ranges) : Array.fromAsync(piecesOf(plan.body, content));
  const bytes = Buffer.concat(await pieces);
  const sent = plan.gzip ? await compress(bytes) : bytes;
  response.writeHead(plan.status, plan.headers);
  response.end(sent);
}

async function stream(plan: ResponsePlan, response: ServerResponse, content: MetasContent): Promise<void> {
  response.setTimeout(STALLED_MS, () => response.destroy());
  response.writeHead(plan.status, plan.headers);
  if (plan.gzip) await streamGzipped(plan, response, content);
  else await pipeline(piecesOf(plan.body, content), response);
}

/** The whole content is compressed once for all requests. */
async function streamGzipped({ body }: ResponsePlan, response: ServerResponse, content: MetasContent): Promise<void> {
  const [only] = body;
  const isWhole = body.length === 1 && typeof only === 'object' && only.length === content.size;
  const gzipped = content.readGzipped();
  try {
    const first = isWhole ? await gzipped.next().catch(() => undefined) : undefined;
    if (first === undefined || first.done === true) await pipeline(piecesOf(body, content), createGzip(), response);
    else await pipeline(startingWith(first.value, gzipped), response);
  } finally {
    await gzipped.return(undefined);
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* piecesOf(body: readonly (string | ByteRange)[], content: MetasContent): AsyncGenerator<Uint8Array> {
  for (const piece of body) {
    if (typeof piece === 'string') yield Buffer.from(piece);
    else yield* content.read([piece]);
  }
}
