import { BlobError } from '../model/catalog-load.error.js';
import { readStream } from '../read/blob-stream.js';
import { YamlError } from '../read/go-yaml/yaml.error.js';
import { loadFirstDocument } from '../read/yaml/first-document.js';
import { TemplateError } from './template.error.js';

/**
 * Reads the first value of a JSON or YAML text. The text after it is not read (spec: file-based-catalogs.md
 * §6).
 */
export function firstDocument(text: string): unknown {
  try {
    const first = readStream(text).next();
    if (!first.done) return first.value.value;
  } catch (error) {
    if (error instanceof BlobError) throw new TemplateError(error.olmText);
    throw error;
  }
  throw new TemplateError('EOF', 'the template is empty');
}

/**
 * Reads the first YAML document of a text. A key given twice is an error (spec: file-based-catalogs.md §6.2).
 */
export function firstStrictDocument(text: string): unknown {
  try {
    return loadFirstDocument(text, true);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const place = error.line === undefined ? '' : `line ${error.line + 1}: `;
    throw new TemplateError(`error converting YAML to JSON: yaml: ${place}${error.reason}`);
  }
}
