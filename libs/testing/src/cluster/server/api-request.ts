import { load } from 'js-yaml';
import { badRequest, Refusal } from '../objects/refusal.js';
import { decodeProtobuf, PROTOBUF } from '../protobuf/decode-object.js';

/** One HTTP request to a simulated API server, below the cluster's path prefix. */
export type SimulatedRequest = Readonly<{
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
  /** Until when the client's certificate is valid; absent without one of a trusted authority. */
  certificateUntil?: Date | undefined;
}>;

export type SimulatedResponse = Readonly<{
  code: number;
  body: unknown;
  contentType?: string;
  warnings?: readonly string[];
}>;

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

export const mediaType = (request: SimulatedRequest): string =>
  (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';

const unknownFormat = () =>
  new Refusal(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  );

/** The decoded body; JSON, YAML or, for Kubernetes' own kinds, protobuf by its media type. */
export function decodedBody(request: SimulatedRequest): unknown {
  const type = mediaType(request);
  if (type === PROTOBUF) {
    const object = decodeProtobuf(request.body);
    if (object === undefined) throw unknownFormat();
    return object;
  }
  const text = request.body.toString('utf8');
  const yaml = type.endsWith('yaml');
  if (!yaml && !type.endsWith('json')) throw unknownFormat();
  try {
    return yaml && !text.trimStart().startsWith('{') ? load(text) : JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`couldn't get version/kind; json parse error: ${why}`);
  }
}

/** Returns the name that a write is tracked under: `fieldManager`, or the first word of the user agent. */
export const managerOf = (request: SimulatedRequest): string =>
  request.query.get('fieldManager') || (request.headers['user-agent'] ?? 'unknown').split('/')[0] || 'unknown';
