import { BlobError } from './catalog-load.error.js';
import { lineAt, parseJsonAt, skipSpace } from './json-stream.js';
import { parseYamlDocument } from './yaml-document.js';

/** One value of a stream and where it begins. */
export type StreamedBlob = Readonly<{ value: unknown; line: number; format: 'json' | 'yaml' }>;

/** As far as Kubernetes' decoder looks to tell JSON from YAML. */
const GUESS_LENGTH = 4096;

/** Values of a JSON or YAML stream, in order (spec: file-based-catalogs.md §1.2). Throws {@link BlobError}. */
export function* readStream(text: string): Generator<StreamedBlob> {
  if (text.slice(0, GUESS_LENGTH).trimStart().startsWith('{')) yield* readJson(text);
  else yield* readYaml(text, 1);
}

function* readJson(text: string): Generator<StreamedBlob> {
  let values = 0;
  let line = 1;
  let counted = 0;
  for (let at = skipSpace(text, 0); at < text.length; ) {
    line += newlinesBetween(text, counted, at);
    counted = at;
    let parsed: ReturnType<typeof parseJsonAt>;
    try {
      parsed = parseJsonAt(text, at);
    } catch (jsonError) {
      if (values > 1) throw jsonError;
      yield* readRestAsYaml(text, at, jsonError);
      return;
    }
    yield { value: parsed.value, line, format: 'json' };
    values += 1;
    at = skipSpace(text, parsed.end);
  }
}

/** A stream may turn from JSON to YAML once, after at most one JSON value; if that is no YAML either, it was bad JSON. */
function* readRestAsYaml(text: string, from: number, jsonError: unknown): Generator<StreamedBlob> {
  const documents = readYaml(text.slice(from), lineAt(text, from));
  let first: IteratorResult<StreamedBlob>;
  try {
    first = documents.next();
  } catch (yamlError) {
    throw yamlError instanceof BlobError ? jsonError : yamlError;
  }
  if (first.done) throw jsonError;
  yield first.value;
  yield* documents;
}

/**
 * A separator ends a document that has begun and otherwise opens one, so two in a row are harmless and a third makes an
 * empty document, which is null.
 */
function* readYaml(text: string, firstLine: number): Generator<StreamedBlob> {
  let start = 0;
  let line = firstLine;
  let counted = 0;
  const document = (end: number): StreamedBlob => {
    line += newlinesBetween(text, counted, start);
    counted = start;
    return { value: parseYamlDocument(text.slice(start, end), line), line, format: 'yaml' };
  };
  for (let at = nextSeparator(text, 0); at >= 0; at = nextSeparator(text, at + 1)) {
    const lineEnd = endOfLine(text, at);
    const trailer = text.slice(at + 3, lineEnd).trim();
    if (trailer !== '' && !trailer.startsWith('#')) {
      throw new BlobError(`invalid Yaml document separator: ${trailer}`, firstLine + newlinesBetween(text, 0, at));
    }
    if (at > start) {
      yield document(at);
      start = Math.min(lineEnd + 1, text.length);
    }
  }
  if (start < text.length) yield document(text.length);
}

function nextSeparator(text: string, from: number): number {
  if (from === 0 && text.startsWith('---')) return 0;
  const at = text.indexOf('\n---', Math.max(from - 1, 0));
  return at < 0 ? -1 : at + 1;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function newlinesBetween(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
