import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { fileReason } from '../../files/file-tree.error.js';
import { type Manifest, ManifestError, parseManifests } from '../../files/manifest-text.js';

/** A file of a fleet's folder, as far as its change can be seen from outside. */
export type FolderFile = Readonly<{ path: string; bytes: number; stamp: string }>;

/** The files of a folder. `problems`: the reasons why some are missing. */
export type FolderListing = Readonly<{ files: readonly FolderFile[]; problems: readonly string[] }>;
type FolderManifests = Readonly<{ manifests: readonly Manifest[]; problems: readonly string[] }>;

export const STATUS_FOLDER = 'status';
export const DECISIONS_FOLDER = 'decisions';

const MANIFEST = /\.ya?ml$/;
const MIB = 1024 * 1024;
/** A fleet of 10,000 clusters has 2 MiB of FleetClusters. */
const FOLDER_LIMITS = { files: 5_000, fileBytes: 16 * MIB, bytes: 64 * MIB, depth: 16 } as const;

/**
 * Lists the YAML files below a folder in the order of their names, without the hub's own files there. Names
 * that begin with a dot are skipped, as in `.git`. A link is followed inside the folder, and its target is
 * read once. A link that leads out of the folder is a problem: the hub may have the right to read files there
 * that must not be quoted in a message (why: fleet-folder.md "One hub on a folder").
 */
export async function listFolder(folder: string): Promise<FolderListing> {
  const files: FolderFile[] = [];
  const problems: string[] = [];
  let root: string;
  try {
    root = await realpath(folder);
  } catch (error) {
    return { files, problems: [`${folder}: ${fileReason(error)}`] };
  }
  const links: Found[] = [];
  const at: Walk = { root, files, problems, links, seen: new Set() };
  await walk({ path: folder, real: root, depth: 0 }, at);
  // Whatever lies in the folder itself has its own path there; links come after that, and may lead to others.
  for (const link of links) await follow(link, at);
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes > FOLDER_LIMITS.bytes) problems.push(`${folder}: more than ${FOLDER_LIMITS.bytes / MIB} MiB of manifests`);
  if (files.length > FOLDER_LIMITS.files) problems.push(`${folder}: more than ${FOLDER_LIMITS.files} files`);
  files.sort((a, b) => byCodeUnit(a.path, b.path));
  return { files, problems };
}

/** `path` as people name it, `real` without links. */
type Found = Readonly<{ path: string; real: string; depth: number }>;
type Walk = Readonly<{ root: string; files: FolderFile[]; problems: string[]; links: Found[]; seen: Set<string> }>;

async function walk({ path, real, depth }: Found, at: Walk): Promise<void> {
  const { root, files, problems, links, seen } = at;
  if (seen.has(real)) return;
  seen.add(real);
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    problems.push(`${path}: ${fileReason(error)}`);
    return [];
  });
  const shown = entries.filter(({ name }) => !name.startsWith('.')).toSorted((a, b) => byCodeUnit(a.name, b.name));
  for (const entry of shown) {
    if (files.length > FOLDER_LIMITS.files) return;
    const inner = { path: join(path, entry.name), real: join(real, entry.name), depth: depth + 1 };
    if (entry.isSymbolicLink()) links.push(inner);
    else if (!entry.isDirectory()) {
      if (MANIFEST.test(entry.name)) await addFile(inner, at);
    } else if (inner.real !== join(root, STATUS_FOLDER)) await walkInner(inner, at);
  }
}

async function walkInner(inner: Found, at: Walk): Promise<void> {
  if (inner.depth <= FOLDER_LIMITS.depth) await walk(inner, at);
  else
    at.problems.push(`${inner.path}: is nested too deeply: at most ${FOLDER_LIMITS.depth} levels of folders are read`);
}

async function follow(link: Found, at: Walk): Promise<void> {
  const { root, problems } = at;
  const { path } = link;
  try {
    const real = await realpath(path);
    const isFolder = (await stat(real)).isDirectory();
    if (!isFolder && !MANIFEST.test(path)) return;
    if (real !== root && !isBelow(root, real)) {
      problems.push(
        `${path}: is a link out of the folder of the fleet and is ignored; copy its target into the folder`,
      );
    } else if (real === join(root, STATUS_FOLDER) || isBelow(join(root, STATUS_FOLDER), real)) {
      problems.push(`${path}: is a link into ${STATUS_FOLDER}/, the folder of the hub; remove it`);
    } else if (!isFolder) await addFile({ ...link, real }, at);
    else await walkInner({ ...link, real }, at);
  } catch (error) {
    problems.push(`${path}: is a link that leads nowhere: ${fileReason(error)}`);
  }
}

const isBelow = (folder: string, path: string): boolean => path.startsWith(folder === sep ? sep : `${folder}${sep}`);

async function addFile({ path, real }: Found, { files, problems, seen }: Walk): Promise<void> {
  if (seen.has(real)) return;
  seen.add(real);
  try {
    const found = await stat(path);
    if (!found.isFile()) return;
    const { size, mtimeMs, ctimeMs, ino } = found;
    if (size === 0) problems.push(`${path}: is empty; fill the file or delete it`);
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

/**
 * Returns the reasons why some decisions of a folder may be missing. A file elsewhere does not hold them up.
 */
export const decisionTroubles = (folder: string, { problems }: FolderListing): readonly string[] =>
  problems.filter((one) => one.startsWith(`${folder}:`) || one.startsWith(join(folder, DECISIONS_FOLDER)));

/** Decisions lie apart: they are taken over by themselves. */
export const isDecisionFile = (folder: string, { path }: FolderFile): boolean =>
  relative(folder, path).startsWith(`${DECISIONS_FOLDER}/`);
