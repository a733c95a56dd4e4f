import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { httpDate } from '#core/catalog/metas/http-date';
import { CATALOGS } from '#core/catalog/metas/metas-route';
import { contentInMemory } from '#platform/content/open-content';
import { indexLines } from '#platform/metas/index-lines';
import { MetasContent } from '#platform/metas/metas-content';
import { MetasServer, type ServedContent } from '#platform/metas/serve-metas';

const HERE = import.meta.dirname;
const Headers = z.record(z.string(), z.string());
const Vector = z.object({
  request: z.object({ method: z.string(), path: z.string(), headers: Headers.optional(), body: z.string().optional() }),
  status: z.number(),
  headers: Headers.optional(),
  body: z.string().optional(),
  bodyBytesCompressed: z.boolean().optional(),
  note: z.string().optional(),
});
const vectors = readFileSync(join(HERE, 'responses.expected.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => Vector.parse(JSON.parse(line)))
  // GraphQL is not served.
  .filter(({ request: { path } }) => !path.endsWith('/graphql'));

const MODIFIED = new Date('2026-03-01T12:00:00.700Z');
const TIMES: Readonly<Record<string, number>> = { '{{lm}}': 0, '{{lm-1h}}': -3_600_000, '{{lm+1h}}': 3_600_000 };
const filled = (headers: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const offset = TIMES[value];
      return [name, offset === undefined ? value : httpDate(new Date(MODIFIED.getTime() + offset))];
    }),
  );
/** What the recorder kept of the headers of an answer. */
const RECORDED = new Set([
  'accept-ranges',
  'content-encoding',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
  'vary',
]);
const lowerCased = (headers: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

let server: Server;
const served = new Map<string, ServedContent>();
beforeAll(async () => {
  for (const name of ['shop', 'empty', 'no-schema']) {
    const content = contentInMemory(readFileSync(join(HERE, `${name}.expected.jsonl`)));
    served.set(name, { content: new MetasContent(content, await indexLines(content)), modified: MODIFIED });
  }
  const metas = new MetasServer({ place: CATALOGS, find: ([name = '']) => served.get(name) });
  server = createServer((incoming, response) => void metas.answer(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (const { content } of served.values()) await content.close();
});

function ask({ method, path, headers, body }: z.infer<typeof Vector>['request']) {
  const { port } = server.address() as AddressInfo;
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers: filled(headers) }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the metas API answers as catalogd did', () => {
  it('has vectors to compare with', () => expect(vectors.length).toBeGreaterThan(50));

  it.each(vectors.map((vector) => [JSON.stringify(vector.request), vector] as const))('%s', async (_, vector) => {
    const answer = await ask(vector.request);
    expect(answer.status).toBe(vector.status);
    if (vector.headers !== undefined) {
      const recorded = Object.entries(answer.headers).filter(([name]) => RECORDED.has(name));
      expect(Object.fromEntries(recorded)).toEqual(lowerCased(filled(vector.headers)));
    }
    if (vector.bodyBytesCompressed) {
      expect(gunzipSync(answer.bytes)).toEqual(readFileSync(join(HERE, 'shop.expected.jsonl')));
    } else if (vector.body !== undefined) {
      expect(answer.bytes.toString()).toBe(vector.body);
    }
  });
});
