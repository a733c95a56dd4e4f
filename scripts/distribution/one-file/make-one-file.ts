import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchivedFile, fixedArchive } from '../fixed-archive.js';
import { writePackageFolder } from '../package-folder.js';
import { type ReleasedFile, sha256 } from '../provenance.js';
import { readFiles } from '../read-files.js';
import { type FetchedNode, fetchNode } from './fetch-node.js';
import { NODE_BINARIES, TRIED_PLATFORM } from './node-binaries.js';
import { packedFolder } from './packed-folder.js';

/** The mark in the executable that postject turns on (nodejs.org/api/single-executable-applications.html). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** The young generation of the heap, MiB: that of `bin/flotilla`. */
const OPTIONS = ['--max-semi-space-size=16'];
/** Files of the npm package that only people read. */
const FOR_PEOPLE = /^(docs|man|completions)\/|^(README|CHANGELOG|SECURITY)\.md$/;

/** The highest level takes three times as long, and saves half a percent of these files. */
const COMPRESSION = 6;

type Build = Readonly<{ root: string; work: string; version: string; commit: string | undefined }>;

/** The command as one file for a platform, in an archive. */
export type OneFile =
  | Readonly<{ platform: string; made: ReleasedFile }>
  | Readonly<{ platform: string; missing: string }>;

/** Makes the command as one file for each of the platforms; a missing file has its reason. */
export async function makeOneFiles(build: Build, platforms: readonly string[]): Promise<readonly OneFile[]> {
  if (platforms.length === 0) return [];
  let prepared: Prepared;
  try {
    prepared = await prepare(build);
  } catch (error) {
    return platforms.map((platform) => ({ platform, missing: (error as Error).message }));
  }
  const files: OneFile[] = [];
  for (const platform of platforms) files.push(await oneFile(build, prepared, platform));
  return files;
}

type Prepared = Readonly<{
  blob: string;
  licences: readonly ArchivedFile[];
  fetched: ReadonlyMap<string, FetchedNode>;
}>;

/** Makes the part that is the same for all platforms: content, licences. */
async function prepare({ root, work, version, commit }: Build): Promise<Prepared> {
  const here = `${process.platform}-${process.arch}`;
  const fetched = new Map<string, FetchedNode>();
  for (const platform of new Set([TRIED_PLATFORM, here])) {
    const binary = NODE_BINARIES[platform];
    if (binary !== undefined) fetched.set(platform, fetchNode(binary, work));
  }
  const folder = join(work, 'command');
  mkdirSync(folder);
  writePackageFolder(root, folder, { texts: [], commit });
  copyFileSync(join(root, 'bin/load-in-one-file.cjs'), join(folder, 'bin/load.cjs'));
  const files = (await readFiles(folder, '.')).map((file) => ({ ...file, path: file.path.slice('./'.length) }));
  const content = packedFolder(files.filter(({ path }) => !FOR_PEOPLE.test(path)));
  writeFileSync(join(work, 'package'), content);
  writeFileSync(join(work, 'name'), `${version}-${sha256(content).slice(0, 16)}`);
  const blob = join(work, 'blob');
  const config = {
    main: join(root, 'bin/flotilla-as-one-file.cjs'),
    output: blob,
    disableExperimentalSEAWarning: true,
    execArgv: OPTIONS,
    assets: { name: join(work, 'name'), package: join(work, 'package') },
  };
  writeFileSync(join(work, 'config.json'), JSON.stringify(config));
  const node = fetched.get(here)?.executable ?? process.execPath;
  execFileSync(node, ['--experimental-sea-config', 'config.json'], { cwd: work, stdio: 'pipe' });
  const licences = [
    { path: 'LICENSE', content: readFileSync(join(root, 'LICENSE')) },
    { path: 'LICENSE-node', content: Buffer.from(fetched.get(TRIED_PLATFORM)?.licence ?? '') },
  ];
  return { blob, licences, fetched };
}

async function oneFile({ root, work, version }: Build, prepared: Prepared, platform: string): Promise<OneFile> {
  const binary = NODE_BINARIES[platform];
  if (binary === undefined) {
    return { platform, missing: `no such platform; there are ${Object.keys(NODE_BINARIES).join(', ')}` };
  }
  try {
    const { executable } = prepared.fetched.get(platform) ?? fetchNode(binary, work);
    const made = join(mkdtempSync(join(work, 'made-')), binary.command);
    copyFileSync(executable, made);
    chmodSync(made, 0o755);
    const segment = platform.startsWith('darwin-') ? ['--macho-segment-name', 'NODE_SEA'] : [];
    const postject = join(root, 'node_modules/postject/dist/cli.js');
    const args = [postject, made, 'NODE_SEA_BLOB', prepared.blob, '--sentinel-fuse', FUSE, ...segment];
    execFileSync(process.execPath, args, { stdio: 'pipe' });
    const name = `flotilla-${version}-${platform}`;
    const files = [{ path: binary.command, content: readFileSync(made), executable: true }, ...prepared.licences];
    const archived = files.map((file) => ({ ...file, path: `${name}/${file.path}` }));
    const content = await fixedArchive(archived, COMPRESSION);
    return { platform, made: { name: `${name}.tar.gz`, content } };
  } catch (error) {
    return { platform, missing: (error as Error).message };
  }
}
