import { Buffer } from 'node:buffer';
import { BlobError } from '../model/catalog-load.error.js';
import { ByteWindow } from './bytes/byte-window.js';
import { GO_SPACE } from './bytes/go-space.js';
import type { StreamedValue, StreamOptions } from './bytes/streamed-value.js';
import { parseJsonAt, spaceLength } from './json-stream.js';
import { readYaml } from './yaml/yaml-stream.js';

/** How many bytes Kubernetes' decoder reads to distinguish JSON from YAML. */
const GUESS_BYTES = 4096;
const BEGINS_AS_JSON = new RegExp(`^${GO_SPACE}*\\{`);

/**
 * Yields the values of a JSON or YAML stream, in order (spec: file-based-catalogs.md §1.2). Each is cut from
 * the window and dropped from it before the next: memory holds one document, however long the stream is.
 * Throws {@link BlobError}.
 */
export function* readStream(source: ByteWindow | string, options: StreamOptions = {}): Generator<StreamedValue> {
  const window = typeof source === 'string' ? ByteWindow.whole(Buffer.from(source)) : source;
  let more = true;
  while (more && window.unread.length < GUESS_BYTES) more = window.more();
  if (BEGINS_AS_JSON.test(window.unread.toString('utf8', 0, GUESS_BYTES))) yield* readJson(window, options);
  else yield* readYaml(window, options);
}

function* readJson(window: ByteWindow, options: StreamOptions): Generator<StreamedValue> {
  for (let values = 0; ; values += 1) {
    const start = spaceLength(window);
    if (start === window.unread.length) return;
    let parsed: ReturnType<typeof parseJsonAt>;
    try {
      parsed = parseJsonAt(window, start);
    } catch (jsonError) {
      if (values > 1) throw jsonError;
      const lineEnd = lineEndLength(window);
      if (lineEnd === undefined) throw jsonError;
      window.drop(lineEnd);
      yield* readRestAsYaml(window, jsonError, options);
      return;
    }
    window.drop(start);
    yield { value: parsed.value, line: window.line, format: 'json' };
    window.drop(parsed.end - start);
  }
}

/** How many bytes Kubernetes' decoder reads to find the next character. */
const CHARACTER_BYTES = 4;
const SPACE = new RegExp(`^${GO_SPACE}`);

/**
 * Returns the length of the white space up to the first line end: the blanks of the next line are YAML's
 * indentation. Returns undefined if Kubernetes' decoder does not read the bytes as YAML: less than four
 * bytes, or no UTF-8.
 */
function lineEndLength(window: ByteWindow): number | undefined {
  for (let at = 0; ; ) {
    while (window.unread.length - at < CHARACTER_BYTES) if (!window.more()) return undefined;
    const [character = ''] = window.unread.toString('utf8', at, at + CHARACTER_BYTES);
    if (character === '\uFFFD') return undefined;
    if (!SPACE.test(character)) return at;
    at += Buffer.byteLength(character);
    if (character === '\n') return at;
  }
}

/**
 * Reads the rest of a stream as YAML. A stream may turn from JSON to YAML once, after at most one JSON value;
 * if that is no YAML either, it was bad JSON.
 */
function* readRestAsYaml(window: ByteWindow, jsonError: unknown, options: StreamOptions): Generator<StreamedValue> {
  const documents = readYaml(window, options);
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
