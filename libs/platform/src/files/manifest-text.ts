import { BlobError } from '#core/catalog/model/catalog-load.error';
import { readStream } from '#core/catalog/read/blob-stream';
import type { StreamedValue } from '#core/catalog/read/bytes/streamed-value';
import { IS_MISSING, type KubernetesObject, readObject } from '#core/kernel/api/kubernetes-object';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { problemText } from '#core/kernel/go-types/decoded';

/** An object and the place that it was read from: `file:line`. */
export type Manifest = Readonly<{ object: KubernetesObject; where: string }>;

/** A text that is no YAML, or a document in it that is no object. The message begins with the place. */
export class ManifestError extends FlotillaError {
  readonly code = 'ManifestError';
  readonly retry: Retry = 'when-input-changes';
}

/**
 * Every document of the text, as kubectl reads it; a `List` counts as its items, an empty document as none.
 * A key that is given twice is an error, as it is for kubectl's strict validation.
 *
 * @throws ManifestError
 */
export function parseManifests(file: string, text: string): Manifest[] {
  const lines = text.split('\n');
  const manifests: Manifest[] = [];
  for (const { value, line } of documentsOf(file, text)) {
    if (value !== null) manifests.push(...objectsOf(value, `${file}:${firstContent(lines, line)}`));
  }
  return manifests;
}

function* documentsOf(file: string, text: string): Generator<StreamedValue> {
  try {
    yield* readStream(text, { uniqueKeys: true });
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const place = error.line === undefined ? file : `${file}:${error.line}`;
    throw new ManifestError(`${place}: not YAML: ${error.message.replace(GO_PREFIX, '')}; correct this place`);
  }
}

const GO_PREFIX = /^(error converting YAML to JSON: yaml: (line \d+: )?|json: )/;
const NO_CONTENT = /^(---)?\s*(#.*)?$/;

/** The first line, counted from 1, at or behind `line` that has more than a comment; `line` if none has. */
function firstContent(lines: readonly string[], line: number): number {
  for (let at = line; at <= lines.length; at += 1) if (!NO_CONTENT.test(lines[at - 1] ?? '')) return at;
  return line;
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
