import { BlobError } from './catalog-load.error.js';
import { parseJsonAt, skipSpace } from './json-stream.js';
import { parseYamlDocument } from './yaml-document.js';

/**
 * One document that is JSON or YAML. Plain JSON takes the quick way; whatever that way refuses is read as YAML, of which
 * JSON is a part. Throws {@link BlobError}.
 */
export function parseJsonOrYaml(text: string): unknown {
  const start = skipSpace(text, 0);
  if (text[start] !== '{') return parseYamlDocument(text);
  try {
    const { value, end } = parseJsonAt(text, start);
    if (skipSpace(text, end) === text.length) return value;
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
  }
  return parseYamlDocument(text);
}
