import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { fileReason } from '../../files/file-tree.error.js';
import { type Manifest, ManifestError, parseManifests } from '../../files/manifest-text.js';

/** A file of a fleet's folder, as far as its change can be seen from outside. */
export type FolderFile = Readonly<{ path: string; bytes: number; stamp: string }>;

/** What lies in a folder. `problems`: why it is not all of it. */
export type FolderListing = Readonly<{ files: readonly FolderFile[]; problems: readonly string[] }>;
export type FolderManifests = Readonly<{ manifests: readonly Manifest[]; problems: readonly string[] }>;

export const STATUS_FOLDER = 'status';
export const DECISIONS_FOLDER = 'decisions';

const MANIFEST = /\.ya?ml$/;
const MIB = 1024 * 1024;
/** A fleet of 10,000 clusters has 2 MiB of FleetClusters. */
export const FOLDER_LIMITS = { files: 5_000, fileBytes: 16 * MIB, bytes: 64 * MIB, depth: 16 } as const;

/**
 * The YAML files below a folder but what the hub makes there, in the order of their names. Names that begin
 * with a dot are passed over, as in `.git`.
 */
export async function listFolder(folder: string): Promise<FolderListing> {
  const files: FolderFile[] = [];
  const problems: string[] = [];
  await walk(folder, { folder, files, problems, depth: 0 });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > FOLDER_LIMITS.bytes) problems.push(`${folder}: more than ${FOLDER_LIMITS.bytes / MIB} MiB of manifests`);
  if (files.length > FOLDER_LIMITS.files) problems.push(`${folder}: more than ${FOLDER_LIMITS.files} files`);
  files.sort((a, b) => byCodeUnit(a.path, b.path));
  return { files, problems };
}

type Walk = { folder: string; files: FolderFile[]; problems: string[]; depth: number };

async function walk(path: string, at: Walk): Promise<void> {
  const { folder, files, problems, depth } = at;
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    problems.push(`${path}: ${fileReason(error)}`);
    return [];
  });
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.name.startsWith('.') || files.length > FOLDER_LIMITS.files) continue;
    if (entry.isDirectory()) {
      if (relative(folder, inner) === STATUS_FOLDER) continue;
      if (depth < FOLDER_LIMITS.depth) await walk(inner, { ...at, depth: depth + 1 });
      else problems.push(`${inner}: folders are read ${FOLDER_LIMITS.depth} deep`);
    } else if (MANIFEST.test(entry.name)) await addFile(inner, at);
  }
}

async function addFile(path: string, { files, problems }: Walk): Promise<void> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return;
    const { size, mtimeMs, ctimeMs, ino } = found;
    if (size === 0) problems.push(`${path}: is empty; delete it if nothing is to be there`);
    if (size > FOLDER_LIMITS.fileBytes) problems.push(`${path}: larger than ${FOLDER_LIMITS.fileBytes / MIB} MiB`);
    files.push({ path, bytes: size, stamp: `${size} ${mtimeMs} ${ctimeMs} ${ino}` });
  } catch (error) {
    problems.push(`${path}: ${fileReason(error)}`);
  }
}

/** The same as long as a folder is. */
export const stampOf = ({ files, problems }: FolderListing): string =>
  [...files.map(({ path, stamp }) => `${path} ${stamp}`), ...problems].join('\n');

/** Every document of the files. */
export async function readManifestsOf(files: readonly FolderFile[]): Promise<FolderManifests> {
  const manifests: Manifest[] = [];
  const problems: string[] = [];
  for (const { path } of files) {
    try {
      manifests.push(...parseManifests(path, await readFile(path, 'utf8')));
    } catch (error) {
      problems.push(error instanceof ManifestError ? error.message : `${path}: ${fileReason(error)}`);
    }
  }
  return { manifests, problems };
}

/** Why the decisions of a folder may not be all that there are; a file elsewhere does not hold them up. */
export const decisionTroubles = (folder: string, { problems }: FolderListing): readonly string[] =>
  problems.filter((one) => one.startsWith(`${folder}:`) || one.startsWith(join(folder, DECISIONS_FOLDER)));

/** Decisions lie apart: they are taken over by themselves. */
export const isDecisionFile = (folder: string, { path }: FolderFile): boolean =>
  relative(folder, path).startsWith(`${DECISIONS_FOLDER}/`);
