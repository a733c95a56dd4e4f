import type { ByteRange } from './byte-range.js';

/** A response as data: the server performs it. */
export type ResponsePlan = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Parts in this order; ranges are read from the content. Empty for HEAD. */
  body: readonly (string | ByteRange)[];
  /** The body is compressed on its way. */
  gzip: boolean;
}>;

/** Returns a refusal with its text, as Go's `http.Error` sends it. */
export const refusal = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): ResponsePlan => ({
  status,
  headers: {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text) + 1),
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  },
  body: [`${text}\n`],
  gzip: false,
});

export const badRequest = refusal(400, '400 Bad Request');
export const catalogNotFound = refusal(404, '404 Not Found');
export const pageNotFound = refusal(404, '404 page not found');
export const methodNotAllowed = refusal(405, 'Method Not Allowed');
/** The content cannot be read. */
export const serverError = refusal(500, '500 Internal Server Error');
/** More bodies are under way than there is memory for. */
export const tooBusy = refusal(503, '503 Service Unavailable', { 'Retry-After': '1' });
