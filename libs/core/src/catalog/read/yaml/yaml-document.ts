import { BlobError } from '../../model/catalog-load.error.js';
import { YamlError } from '../go-yaml/yaml.error.js';
import { NOT_COMMON, readCommonYaml, readPrintableYaml } from './common-yaml.js';
import { loadFirstDocument, MAX_DEPTH } from './first-document.js';

/** Aliases may make a document this many times larger than its text … */
const MAX_EXPANSION = 10;
/** … or this many characters large, whichever is more. */
const FREE_EXPANSION = 1 << 20;

/**
 * Reads one YAML document as the value JSON would hold, null for a document without content. Throws
 * {@link BlobError} with opm's prefix. `firstLine` is the line of the document's start within its file.
 */
export function parseYamlDocument(text: string, firstLine = 1): unknown {
  const common = readCommonYaml(text);
  return common === NOT_COMMON ? parseAnyYaml(text, firstLine) : common;
}

/** Reads as {@link parseYamlDocument} does, for a text of printable ASCII, tabs and line feeds. */
export function parseAsciiYaml(text: string, firstLine: number): unknown {
  const common = readPrintableYaml(text);
  return common === NOT_COMMON ? parseAnyYaml(text, firstLine) : common;
}

/**
 * Reads as {@link parseYamlDocument} does, for text that people write for a cluster: a key that is given
 * twice is an error.
 */
export const parseStrictYaml = (text: string, firstLine: number): unknown => parseAnyYaml(text, firstLine, true);

function parseAnyYaml(text: string, firstLine: number, uniqueKeys = false): unknown {
  let value: unknown;
  try {
    value = loadFirstDocument(text, uniqueKeys);
  } catch (error) {
    throw yamlError(error, firstLine);
  }
  if (text.includes('*') && text.includes('&')) boundExpansion(value, text.length, firstLine);
  return value;
}

function yamlError(error: unknown, firstLine: number): BlobError {
  if (!(error instanceof YamlError)) throw error;
  const line = firstLine + (error.line ?? 0);
  const place = error.line === undefined ? '' : `line ${line}: `;
  return new BlobError(`error converting YAML to JSON: yaml: ${place}${error.reason}`, line);
}

/**
 * Aliases share one value here but multiply when written out, so the sum is limited before
 * any code walks the value.
 */
function boundExpansion(root: unknown, textLength: number, line: number): void {
  let left = Math.max(FREE_EXPANSION, textLength * MAX_EXPANSION);
  const pending: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    left -= typeof value === 'string' ? value.length + 1 : 1;
    if (left < 0) throw excessive('document contains excessive aliasing', line);
    if (value === null || typeof value !== 'object') continue;
    if (depth >= MAX_DEPTH) throw excessive(`nesting exceeds ${MAX_DEPTH} levels`, line);
    for (const [key, inner] of Object.entries(value)) {
      left -= key.length;
      pending.push({ value: inner, depth: depth + 1 });
    }
  }
}

const excessive = (why: string, line: number) => new BlobError(`error converting YAML to JSON: yaml: ${why}`, line);
