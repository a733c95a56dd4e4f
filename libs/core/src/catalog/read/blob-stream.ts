import { Buffer } from 'node:buffer';
import { BlobError } from '../model/catalog-load.error.js';
import { ByteWindow } from './byte-window.js';
import { parseJsonAt, spaceLength } from './json-stream.js';
import type { StreamedValue } from './streamed-value.js';
import { readYaml } from './yaml-stream.js';

/** How many bytes Kubernetes' decoder reads to distinguish JSON from YAML. */
const GUESS_BYTES = 4096;
/**
 * White space as Go's unicode package knows it, which unlike JavaScript's does not count the byte order mark.
 */
const BEGINS_AS_JSON = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*\{/;
const NEWLINE = 0x0a;

/**
 * Values of a JSON or YAML stream, in order (spec: file-based-catalogs.md §1.2), each cut from the
 * window and dropped from it before the next: memory holds one document, however long the stream is.
 * Throws {@link BlobError}.
 */
export function* readStream(source: ByteWindow | string): Generator<StreamedValue> {
  const window = typeof source === 'string' ? ByteWindow.whole(Buffer.from(source)) : source;
  let more = true;
  while (more && window.unread.length < GUESS_BYTES) more = window.more();
  if (BEGINS_AS_JSON.test(window.unread.toString('utf8', 0, GUESS_BYTES))) yield* readJson(window);
  else yield* readYaml(window);
}

function* readJson(window: ByteWindow): Generator<StreamedValue> {
  for (let values = 0; ; values += 1) {
    const start = spaceLength(window);
    if (start === window.unread.length) return;
    let parsed: ReturnType<typeof parseJsonAt>;
    try {
      parsed = parseJsonAt(window, start);
    } catch (jsonError) {
      if (values > 1) throw jsonError;
      dropLineEnd(window, start);
      yield* readRestAsYaml(window, jsonError);
      return;
    }
    window.drop(start);
    yield { value: parsed.value, line: window.line, format: 'json' };
    window.drop(parsed.end - start);
  }
}

/** What stands behind a good value on its line; the blanks of the next line are YAML's indentation. */
function dropLineEnd(window: ByteWindow, spaces: number): void {
  const newline = window.unread.subarray(0, spaces).indexOf(NEWLINE);
  window.drop(newline < 0 ? spaces : newline + 1);
}

/**
 * A stream may turn from JSON to YAML once, after at most one JSON value; if that is no YAML
 * either, it was bad JSON.
 */
function* readRestAsYaml(window: ByteWindow, jsonError: unknown): Generator<StreamedValue> {
  const documents = readYaml(window);
  let first: IteratorResult<StreamedValue>;
  try {
    first = documents.next();
  } catch (yamlError) {
    throw yamlError instanceof BlobError ? jsonError : yamlError;
  }
  if (first.done) throw jsonError;
  yield first.value;
  yield* documents;
}
