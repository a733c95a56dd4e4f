import { readFileSync } from 'node:fs';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { serviceDefinition } from '#platform/registry/grpc/grpc-definitions';

type Json = Record<string, unknown>;
type Call = Readonly<{
  method: string;
  request: Json;
  experimentalHeader?: boolean;
  response?: Json;
  stream?: Json[];
  error?: { code: string; message: string };
}>;
type Vector = Readonly<{
  id: string;
  title: string;
  files: Record<string, string>;
  calls: Call[];
  expect?: { serveError?: string };
}>;

/** The answers of `opm serve` to the same calls on the same catalogs. */
const vectors: Vector[] = readFileSync(new URL('../vectors/fbc-grpc/grpc.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const catalogOf = ({ files }: Vector) =>
  loadCatalog(Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })));

const CODES: Record<string, status> = { Unknown: status.UNKNOWN, InvalidArgument: status.INVALID_ARGUMENT };

describe.each(vectors.filter((vector) => vector.expect?.serveError === undefined))('$id $title', (vector) => {
  let client: Client;
  let server: Awaited<ReturnType<typeof serveCatalog>>;
  beforeAll(async () => {
    server = await serveCatalog(catalogOf(vector), { port: 0 });
    client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it.each(vector.calls.map((call) => ({ ...call, asked: JSON.stringify(call.request) })))(
    '$method $asked',
    async (call) => {
      const answer = await ask(client, call).catch((error: ServiceError) => error);
      if (call.error !== undefined) {
        expect(answer).toMatchObject({ code: CODES[call.error.code], details: call.error.message });
      } else if (call.stream !== undefined) {
        expect((answer as Json[]).map(comparable).toSorted(byText)).toEqual(
          call.stream.map(comparable).toSorted(byText),
        );
      } else {
        expect(comparable(answer)).toEqual(comparable(call.response));
      }
    },
  );
});

describe.each(vectors.filter((vector) => vector.expect?.serveError !== undefined))('$id $title', (vector) => {
  it('is refused in the same words', async () => {
    await expect(serveCatalog(catalogOf(vector), { port: 0 })).rejects.toThrow(vector.expect?.serveError);
  });
});

async function ask(client: Client, { method, request, experimentalHeader }: Call): Promise<unknown> {
  const experimental = method.startsWith('Experimental');
  const definition = serviceDefinition(experimental ? 'api.ExperimentalRegistry' : 'api.Registry')[method];
  if (definition === undefined) throw new Error(`no method ${method}`);
  const { path, requestSerialize, responseDeserialize, responseStream } = definition;
  const metadata = new Metadata();
  if (experimentalHeader) metadata.set('x-acknowledge-experimental', 'true');
  if (responseStream) {
    return client
      .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata)
      .map((item: Json) => (experimental ? plain({ structValue: item }) : item))
      .toArray();
  }
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
  });
}

/** A google.protobuf.Value as JSON. */
function plain(value: Json): unknown {
  const struct = value['structValue'] as { fields: Record<string, Json> } | null | undefined;
  if (struct) return Object.fromEntries(Object.entries(struct.fields).map(([key, inner]) => [key, plain(inner)]));
  const list = value['listValue'] as { values: Json[] } | null | undefined;
  if (list) return list.values.map(plain);
  return value['stringValue'] || value['numberValue'] || value['boolValue'];
}

const JSON_FIELDS = new Set(['csvJson', 'value']);
const isEmpty = (value: unknown) => value === '' || value === null || (Array.isArray(value) && value.length === 0);

/** Protobuf's JSON leaves empty fields out; texts that hold JSON are compared as JSON. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([, inner]) => !isEmpty(inner));
  return Object.fromEntries(
    fields.map(([key, inner]) => {
      if (JSON_FIELDS.has(key)) return [key, JSON.parse(inner)];
      return [key, key === 'object' ? inner.map((text: string) => JSON.parse(text)) : comparable(inner)];
    }),
  );
}

const byText = (a: unknown, b: unknown) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1);
