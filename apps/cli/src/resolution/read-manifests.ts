import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LineCounter, parseAllDocuments } from 'yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { fileError } from '#platform/files/file-tree.error';
import { UsageError } from '../io.js';

/** An object and where it was read: `file:line`. */
export type Manifest = Readonly<{ object: KubernetesObject; where: string }>;

const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MANIFEST = /\.(ya?ml|json)$/;

/** Objects of YAML or JSON files, of all such files below directories, and of standard input for `-`. */
export async function readManifests(paths: readonly string[], stdin: () => Promise<string>): Promise<Manifest[]> {
  const manifests: Manifest[] = [];
  for (const path of paths) {
    if (path === '-') manifests.push(...parseManifests('standard input', await stdin()));
    else for (const file of await filesOf(path)) manifests.push(...parseManifests(file, await textOf(file)));
  }
  return manifests;
}

async function filesOf(path: string): Promise<string[]> {
  const stats = await stat(path).catch((error: unknown) => {
    throw new UsageError(fileError('open', path, error).message);
  });
  if (!stats.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && MANIFEST.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort(byCodeUnit);
}

/** The text of a file, unless it is too large. */
export async function textOf(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_FILE_BYTES)
    throw new UsageError(`${file}: larger than ${MAX_FILE_BYTES / (1024 * 1024)} MiB; split it`);
  return readFile(file, 'utf8');
}

/** Every document of the text; a `List` counts as its items, an empty document as nothing. */
export function parseManifests(file: string, text: string): Manifest[] {
  const counter = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: counter, prettyErrors: false, uniqueKeys: true });
  if (!Array.isArray(documents)) return [];
  return documents.flatMap((document) => {
    const [broken] = document.errors;
    if (broken !== undefined) {
      const { line, col } = counter.linePos(broken.pos[0]);
      throw new UsageError(`${file}:${line}:${col}: not YAML: ${complaint(broken.message)}; correct this place`);
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
    throw new UsageError(`${where}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function objectsOf(value: unknown, where: string): Manifest[] {
  if (typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'List' && 'items' in value) {
    return Array.isArray(value.items) ? value.items.flatMap((item: unknown) => objectsOf(item, where)) : [];
  }
  const object = KubernetesObject.safeParse(value);
  if (object.success) return [{ object: object.data, where }];
  const [issue] = object.error.issues;
  throw new UsageError(
    `${where}: not a Kubernetes object: ${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'unreadable'}; give it apiVersion, kind and metadata`,
  );
}
