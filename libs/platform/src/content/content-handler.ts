import { Readable } from 'node:stream';
import type { ContentStore } from './content-store.port.js';
import { isDigest } from './digest.js';
import { contentParts } from './open-content.js';

type ContentAnswer = Readonly<{
  status: 200 | 400 | 404 | 405;
  headers: Readonly<Record<string, string>>;
  /** Stream of the content. It closes its source when it has ended, or is destroyed. */
  body: Readable;
}>;

/** Path of served content: `GET /content/sha256:…`. */
export const CONTENT_PATH = '/content/';

/**
 * Answers one request for content, whatever HTTP server it came in by. `path` is the
 * path alone, without a query.
 */
export async function serveContent(store: ContentStore, method: string, path: string): Promise<ContentAnswer> {
  if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'content is read with GET');
  const digest = path.startsWith(CONTENT_PATH) ? decodePath(path.slice(CONTENT_PATH.length)) : '';
  if (!isDigest(digest)) return refusal(400, 'ask for /content/sha256:<64 hex digits>');
  const content = await store.open(digest);
  if (content === undefined) return refusal(404, `content ${digest} is not stored here`);
  const headers = {
    'content-type': 'application/octet-stream',
    'content-length': String(content.size),
    // Private: this server decides about each reader. A proxy that holds the content cannot.
    'cache-control': 'private, max-age=31536000, immutable',
    etag: `"${digest}"`,
    'x-content-type-options': 'nosniff',
  };
  if (method === 'HEAD') {
    await content.close();
    return { status: 200, headers, body: Readable.from([]) };
  }
  return { status: 200, headers, body: Readable.from(contentParts(content), { objectMode: false }) };
}

const refusal = (status: 400 | 404 | 405, error: string): ContentAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Readable.from([Buffer.from(`${JSON.stringify({ error })}\n`)], { objectMode: false }),
});

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
