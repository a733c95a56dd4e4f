import { loadAll, YAMLException } from 'js-yaml';
import { readStream } from '../catalog/blob-stream.js';
import { BlobError } from '../catalog/catalog-load.error.js';
import { MAX_DEPTH } from '../catalog/yaml-document.js';
import { KUBERNETES_YAML } from '../catalog/yaml-schema.js';
import { TemplateError } from './template.error.js';

/** The first value of a JSON or YAML text; what follows it is not looked at (spec: file-based-catalogs.md §6). */
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

/** The first YAML document of a text, where a key given twice is an error (spec: file-based-catalogs.md §6.2). */
export function firstStrictDocument(text: string): unknown {
  const document = cutFirst(text);
  try {
    return loadAll(document, { schema: KUBERNETES_YAML, maxDepth: MAX_DEPTH })[0] ?? null;
  } catch (error) {
    const reason =
      error instanceof YAMLException
        ? `line ${1 + (error.mark?.line ?? 0)}: ${error.reason}`
        : error instanceof Error
          ? error.message
          : String(error);
    throw new TemplateError(`error converting YAML to JSON: yaml: ${reason}`);
  }
}

const SEPARATOR = /^---(?=\s|$)/gm;
const ONLY_COMMENTS = /^(?:[ \t]*(?:#.*)?(?:\r?\n|$))*$/;

/** The text up to the separator that ends the first document; one with nothing but comments before it opens that. */
function cutFirst(text: string): string {
  const separators = [...text.matchAll(SEPARATOR)].map(({ index }) => index);
  const [first] = separators;
  const opens = first !== undefined && ONLY_COMMENTS.test(text.slice(0, first));
  return text.slice(0, separators[opens ? 1 : 0]);
}
