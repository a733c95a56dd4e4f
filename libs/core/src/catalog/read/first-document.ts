import { loadAll, YAMLException } from 'js-yaml';
import { documentValue, KUBERNETES_YAML, kubernetesYaml } from './yaml-schema.js';

/** Deepest nesting of collections accepted in any document, JSON or YAML. */
export const MAX_DEPTH = 200;

/** How the parser says that there is more than the document. */
const MORE = 'end of the stream or a document separator is expected';

/** Blanks and first character of the first line with content. */
const FIRST_LINE = /^(?!---)( *)([^\s#%])/m;

/**
 * The first document of a YAML text, null where it has no content. Go's reader stops behind it and never sees
 * what else is there, well formed or not (spec: file-based-catalogs.md §1.2). Keys may be given twice unless
 * `uniqueKeys`. Throws the parser's YAMLException.
 */
export function loadFirstDocument(text: string, uniqueKeys = false): unknown {
  const document = cutFirstDocument(text);
  try {
    return load(document, uniqueKeys);
  } catch (error) {
    if (!(error instanceof YAMLException) || error.reason !== MORE || !error.mark) throw error;
    const { position, column } = error.mark;
    const [, margin = '', first = ''] = FIRST_LINE.exec(document) ?? [];
    // Flow text has ended anyway; block text ends before a directive, or before text that is less indented.
    const hasEnded = first === '{' || first === '[' || document[position] === '%' || column < margin.length;
    if (!hasEnded) throw error;
    return load(document.slice(0, position), uniqueKeys);
  }
}

function load(text: string, uniqueKeys: boolean): unknown {
  const schema = text.includes('<<') ? kubernetesYaml() : KUBERNETES_YAML;
  return documentValue(loadAll(text, { schema, json: !uniqueKeys, maxDepth: MAX_DEPTH })[0]);
}

const BOUNDARY = /^(?:---|\.\.\.)(?=\s|$)/gm;
const ONLY_COMMENTS = /^(?:[ \t]*(?:#.*)?(?:\r?\n|$))*$/;

/** A separator with nothing but comments before it opens the first document, any later mark ends it. */
function cutFirstDocument(text: string): string {
  const marks = [...text.matchAll(BOUNDARY)];
  const [first] = marks;
  const opens = first?.[0] === '---' && ONLY_COMMENTS.test(text.slice(0, first.index));
  return text.slice(0, marks[opens ? 1 : 0]?.index);
}
