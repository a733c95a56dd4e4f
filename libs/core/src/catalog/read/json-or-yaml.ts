import { BlobError } from '../model/catalog-load.error.js';
import { ByteWindow } from './bytes/byte-window.js';
import { yamlText } from './bytes/utf8-text.js';
import { parseJsonAt, spaceLength } from './json-stream.js';
import { parseYamlDocument } from './yaml/yaml-document.js';

const OPENING_BRACE = 0x7b;

/**
 * Reads one document that is JSON or YAML. Plain JSON takes the quick path. If that path refuses the text, it
 * is read as YAML, a superset of JSON. Throws {@link BlobError}.
 */
export function parseJsonOrYaml(bytes: Uint8Array): unknown {
  const window = ByteWindow.whole(bytes);
  const start = spaceLength(window);
  if (bytes[start] === OPENING_BRACE) {
    try {
      const { value, end } = parseJsonAt(window, start);
      if (end + spaceLength(window, end) === bytes.length) return value;
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
    }
  }
  return parseYamlDocument(yamlText(window.unread, 1));
}
