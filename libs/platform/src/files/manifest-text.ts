import { LineCounter, parseAllDocuments } from 'yaml';
import { IS_MISSING, type KubernetesObject, readObject } from '#core/kernel/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { problemText } from '#core/kernel/go-types/decoded';

/** An object and where it was read: `file:line`. */
export type Manifest = Readonly<{ object: KubernetesObject; where: string }>;

/** A text that is no YAML, or a document in it that is no object. The message begins with the place. */
export class ManifestError extends FlotillaError {
  readonly code = 'ManifestError';
  readonly retry: Retry = 'when-input-changes';
}

/**
 * Every document of the text; a `List` counts as its items, an empty document as nothing.
 *
 * @throws ManifestError
 */
export function parseManifests(file: string, text: string): Manifest[] {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [broken] = document.errors;
    if (broken !== undefined) {
      const { line, col } = counter.linePos(broken.pos[0]);
      throw new ManifestError(`${file}:${line}:${col}: not YAML: ${complaint(broken.message)}; correct this place`);
    }
    const { line } = counter.linePos(document.contents?.range?.[0] ?? document.range[0]);
    const where = `${file}:${line}`;
    const value = plain(where, () => document.toJS({ maxAliasCount: 100 }) as unknown);
    return value === null || value === undefined ? [] : objectsOf(value, where);
  });
}

/** The parser descends by recursion; a text that exhausts it is hostile or generated. */
const complaint = (message: string): string => (message.includes('call stack') ? 'nested too deeply' : message);

function plain(where: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new ManifestError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectsOf(value: unknown, where: string): Manifest[] {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'List' && 'items' in value) {
    return Array.isArray(value.items) ? value.items.flatMap((item: unknown) => objectsOf(item, where)) : [];
  }
  const object = readObject(value);
  if (object.ok) return [{ object: object.value, where }];
  const isIncomplete = object.problems.every(({ message }) => message === IS_MISSING);
  const advice = isIncomplete ? '; give it apiVersion, kind and metadata' : '';
  throw new ManifestError(`${where}: not a Kubernetes object: ${problemText(object.problems)}${advice}`);
}
