import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStream } from '../blob-stream.js';
import { ByteWindow } from '../bytes/byte-window.js';
import { decodeCatalogBlob } from '../decode-blob.js';
import { readBlobs } from '../read-blobs.js';

const VECTORS = join(import.meta.dirname, '../../../../../../test/vectors');
const lines = <T>(file: string): T[] =>
  readFileSync(join(VECTORS, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

type Rendered = Readonly<{
  id: string;
  files?: Readonly<Record<string, string>>;
  base64?: Readonly<Record<string, string>>;
  expect: Readonly<{ exit: number; objects?: unknown[] }>;
}>;

/** The blobs of a catalog as opm renders those of an unknown schema: as they came. */
function rendered({ files = {}, base64 = {} }: Rendered): unknown[] | undefined {
  const bytes = [
    ...Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const),
    ...Object.entries(base64).map(([path, text]) => [path, Buffer.from(text, 'base64')] as const),
  ];
  try {
    const blobs = readBlobs(bytes.map(([path, content]) => ({ path, chunks: () => [content] })));
    return [...blobs].map((blob) => decodeCatalogBlob(blob).blob);
  } catch {
    return undefined;
  }
}

// What the real opm rendered; test/vectors/fbc/README.md says how.
describe('odd YAML in a catalog is read as opm reads it', () => {
  it.each(lines<Rendered>('fbc/yaml.jsonl'))('$id', (vector) => {
    expect(rendered(vector)).toEqual(vector.expect.exit === 0 ? vector.expect.objects : undefined);
  });
});

type Odd = Readonly<{ yaml: string; json: unknown[] | null; error?: string }>;

function read(yaml: string): Readonly<{ json: unknown[]; refused: boolean }> {
  const json: unknown[] = [];
  try {
    for (const { value } of readStream(ByteWindow.whole(Buffer.from(yaml)))) json.push(value);
    return { json, refused: false };
  } catch {
    return { json, refused: true };
  }
}

// What Go makes of pieces drawn by seeds; test/vectors/yaml/README.md says how.
describe('odd YAML is read as Go reads it', () => {
  const vectors = lines<Odd>('yaml/odd.jsonl');

  it.each([
    { what: 'taken', of: vectors.filter(({ error }) => error === undefined) },
    { what: 'refused', of: vectors.filter(({ error }) => error !== undefined) },
  ])('pieces that are $what', ({ of }) => {
    expect(of.length).toBeGreaterThan(400);
    for (const { yaml, json, error } of of) {
      expect(read(yaml), JSON.stringify(yaml)).toEqual({ json: json ?? [], refused: error !== undefined });
    }
  });
});
