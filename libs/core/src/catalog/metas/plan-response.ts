import { acceptsGzip, GZIP_FROM_BYTES } from './accepts-gzip.js';
import { type ByteRange, readRange } from './byte-range.js';
import { httpDate } from './http-date.js';
import { judge, type LowerCaseHeaders, rangeCounts } from './preconditions.js';
import { type ResponsePlan, refusal } from './response-plan.js';

export type MetasRequest = Readonly<{ method: string; headers: LowerCaseHeaders }>;

/** Facts about the content of the answer. */
type ContentFacts = Readonly<{
  /** Bytes. */
  size: number;
  /** Since when it is served; whole seconds count. */
  modified: Date;
}>;

const JSONL = 'application/jsonl';
/** No line of JSON holds a carriage return, so this cannot occur within a part. */
const BOUNDARY = 'flotilla-part-of-catalog';

/**
 * Plans the answer of `all`: the whole content or parts of it, as Go's file server answers (spec:
 * v1-catalog.md §2).
 */
export function planAll(request: MetasRequest, content: ContentFacts): ResponsePlan {
  const { headers } = request;
  const modified = Math.floor(content.modified.getTime() / 1_000);
  const common = commonHeaders(modified);
  const verdict = judge(headers, modified);
  if (verdict === 'not modified') return { status: 304, headers: common, body: [], gzip: false };
  if (verdict === 'failed') return empty(412, { ...common, 'Content-Type': JSONL });
  const range = readRange(rangeCounts(headers['if-range'], modified) ? headers['range'] : undefined, content.size);
  if (range.kind === 'unsatisfiable') return bodiless(request, unsatisfiable(range.overlaps, content.size));
  if (range.kind === 'parts') return bodiless(request, partial(range.parts, content.size, common));
  return wholeContent(request, content.size, common);
}

/**
 * Plans the answer of `metas`: the given ranges of the content, one after the other (spec: v1-catalog.md §2).
 * Ranges within are not given.
 */
export function planMetas(
  request: MetasRequest,
  content: ContentFacts,
  ranges: () => readonly ByteRange[],
): ResponsePlan {
  const modified = Math.floor(content.modified.getTime() / 1_000);
  const common = commonHeaders(modified);
  const verdict = judge(request.headers, modified);
  if (verdict === 'not modified') return { status: 304, headers: common, body: [], gzip: false };
  if (verdict === 'failed') return empty(412, common);
  const typed = { ...common, 'Content-Type': JSONL };
  if (request.method === 'HEAD') return { status: 200, headers: typed, body: [], gzip: false };
  const body = ranges();
  const length = body.reduce((sum, part) => sum + part.length, 0);
  if (compresses(request, length)) return compressed(typed, body);
  return { status: 200, headers: { ...typed, 'Content-Length': String(length) }, body, gzip: false };
}

const commonHeaders = (modified: number): Record<string, string> => ({
  'Last-Modified': httpDate(new Date(modified * 1_000)),
  Vary: 'Accept-Encoding',
});

const empty = (status: number, headers: Readonly<Record<string, string>>): ResponsePlan => ({
  status,
  headers: { ...headers, 'Content-Length': '0' },
  body: [],
  gzip: false,
});

const bodiless = ({ method }: MetasRequest, plan: ResponsePlan): ResponsePlan =>
  method === 'HEAD' ? { ...plan, body: [] } : plan;

const compresses = ({ method, headers }: MetasRequest, length: number): boolean =>
  method === 'GET' && length >= GZIP_FROM_BYTES && acceptsGzip(headers['accept-encoding']);

const compressed = (headers: Readonly<Record<string, string>>, body: readonly ByteRange[]): ResponsePlan => ({
  status: 200,
  headers: { ...headers, 'Content-Encoding': 'gzip' },
  body,
  gzip: true,
});

function wholeContent(request: MetasRequest, size: number, common: Readonly<Record<string, string>>): ResponsePlan {
  const typed = { ...common, 'Content-Type': JSONL };
  const body = size === 0 ? [] : [{ start: 0, length: size }];
  if (compresses(request, size)) return compressed(typed, body);
  const headers = { ...typed, 'Accept-Ranges': 'bytes', 'Content-Length': String(size) };
  return bodiless(request, { status: 200, headers, body, gzip: false });
}

const unsatisfiable = (overlaps: boolean, size: number): ResponsePlan =>
  overlaps
    ? refusal(416, 'invalid range')
    : refusal(416, 'invalid range: failed to overlap', { 'Content-Range': `bytes */${size}` });

function partial(parts: readonly ByteRange[], size: number, common: Readonly<Record<string, string>>): ResponsePlan {
  const [only] = parts;
  const shown = ({ start, length }: ByteRange) => `bytes ${start}-${start + length - 1}/${size}`;
  const separated = (part: ByteRange, at: number) => [
    `${at === 0 ? '' : '\r\n'}--${BOUNDARY}\r\nContent-Range: ${shown(part)}\r\nContent-Type: ${JSONL}\r\n\r\n`,
    part,
  ];
  const isOne = parts.length === 1 && only !== undefined;
  const body = isOne ? [only] : [...parts.flatMap(separated), `\r\n--${BOUNDARY}--\r\n`];
  const type = isOne
    ? { 'Content-Type': JSONL, 'Content-Range': shown(only) }
    : { 'Content-Type': `multipart/byteranges; boundary=${BOUNDARY}` };
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const headers = { ...common, ...type, 'Accept-Ranges': 'bytes', 'Content-Length': String(length) };
  return { status: 206, headers, body, gzip: false };
}
