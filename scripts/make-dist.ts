import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { completions, manPages } from './distribution/command-texts.js';
import { fixedArchive } from './distribution/fixed-archive.js';
import { krewManifest } from './distribution/krew-manifest.js';
import { makeOneFiles } from './distribution/one-file/make-one-file.js';
import { MISSING_PLATFORMS, NODE_BINARIES, TRIED_PLATFORM } from './distribution/one-file/node-binaries.js';
import { writePackageFolder } from './distribution/package-folder.js';
import { checksums, provenance, type ReleasedFile, sha256 } from './distribution/provenance.js';
import { readFiles } from './distribution/read-files.js';
import { signatureFiles, signingKey, UnusableKey } from './distribution/sign-files.js';
import { projectBill } from './supply-chain/project-bill.js';

// `make dist`: all files of a release but the image, in dist/release. The same commit, Node and npm give the
// same bytes. The network is used for one thing, the builds of Node for the command as one file.

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(PROJECT_ROOT, 'dist/release') },
    url: { type: 'string' },
    key: { type: 'string' },
    platforms: { type: 'string', default: Object.keys(NODE_BINARIES).join(',') },
  },
});

/** Read before anything is built. */
const key = values.key === undefined ? undefined : keyIn(values.key);

function keyIn(path: string): KeyObject {
  try {
    return signingKey(readFileSync(path, 'utf8'), process.env['KEY_PASSWORD']);
  } catch (error) {
    const why = error instanceof UnusableKey ? error.message : 'cannot be read';
    console.error(`KEY: ${path} ${why}`);
    process.exit(2);
  }
}

const run = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** Returns the built commit; undefined if there is none, or files differ from it. */
function cleanCommit(): string | undefined {
  try {
    const changed = run('git', ['status', '--porcelain'], PROJECT_ROOT);
    return changed === '' ? run('git', ['rev-parse', 'HEAD'], PROJECT_ROOT) : undefined;
  } catch {
    return undefined;
  }
}

const lockFile = readFileSync(join(PROJECT_ROOT, 'package-lock.json'), 'utf8');
const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { version: string };
const commit = cleanCommit();
const texts = { man: manPages(version), completions: completions() };
const out = resolve(values.out);
/** Names this host if none is given: krew insists on an address, also for a local archive. */
const url = (values.url ?? `https://releases.example/flotilla/v${version}`).replace(/\/+$/, '');

const work = mkdtempSync(join(tmpdir(), 'flotilla-dist-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true }));

function npmPackage(): ReleasedFile {
  const folder = join(work, 'package');
  mkdirSync(folder);
  writePackageFolder(PROJECT_ROOT, folder, { texts: [...texts.man, ...texts.completions], commit });
  run('npm', ['pack', '--ignore-scripts', '--offline', '--loglevel=error', '--pack-destination', work], folder);
  const name = `flotilla-${version}.tgz`;
  return { name, content: readFileSync(join(work, name)) };
}

function oneFileOfKrew() {
  const tried = oneFiles.find(({ platform }) => platform === TRIED_PLATFORM);
  if (tried === undefined || !('made' in tried)) return undefined;
  const { name, content } = tried.made;
  return { uri: `${url}/${name}`, sha256: sha256(content), folder: name.replace(/\.tar\.gz$/, '') };
}

const text = (name: string, content: string): ReleasedFile => ({ name, content: new TextEncoder().encode(content) });
const archive = async (name: string, files: Parameters<typeof fixedArchive>[0]): Promise<ReleasedFile> => ({
  name,
  content: await fixedArchive(files),
});

/** The files of the chart, as `.helmignore` has them: values for tests stay out. */
const chartFiles = async () =>
  (await readFiles(join(PROJECT_ROOT, 'charts/flotilla'), 'flotilla')).filter(
    ({ path }) => !path.startsWith('flotilla/ci/'),
  );

const command = npmPackage();
const platforms = values.platforms.split(',').filter((platform) => platform !== '');
const oneFileWork = join(work, 'one-file');
mkdirSync(oneFileWork);
const oneFiles = await makeOneFiles({ root: PROJECT_ROOT, work: oneFileWork, version, commit }, platforms);
const files = [
  command,
  ...oneFiles.flatMap((one) => ('made' in one ? [one.made] : [])),
  await archive(`flotilla-chart-${version}.tgz`, await chartFiles()),
  await archive(
    `flotilla-k8s-${version}.tar.gz`,
    await readFiles(join(PROJECT_ROOT, 'k8s'), `flotilla-${version}/k8s`),
  ),
  await archive(`flotilla-man-${version}.tar.gz`, texts.man),
  await archive(`flotilla-completions-${version}.tar.gz`, texts.completions),
  text(
    'flotilla-krew.yaml',
    krewManifest({
      version,
      ...{ uri: `${url}/${command.name}`, sha256: sha256(command.content), homepage: url },
      oneFile: oneFileOfKrew(),
    }),
  ),
  text(`flotilla-${version}.cdx.json`, projectBill(PROJECT_ROOT)),
];
const tools = { node: process.version, npm: run('npm', ['--version'], PROJECT_ROOT) };
const statement = text(`flotilla-${version}.intoto.json`, provenance(files, { version, commit, lockFile, tools }));
const sums = text('SHA256SUMS', checksums([...files, statement]));
const signatures = key === undefined ? [] : signatureFiles(key, [...files, statement], { statement, sums });
const released = [...files, statement, sums, ...signatures];

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const { name, content } of released) writeFileSync(join(out, name), content);

for (const { name, content } of released) console.log(`${String(content.length).padStart(10)}  ${name}`);
for (const one of oneFiles) {
  if ('missing' in one) console.log(`not made for ${one.platform}: ${one.missing}`);
  else if (one.platform !== TRIED_PLATFORM) console.log(`not tried: ${one.made.name}`);
}
for (const [platform, reason] of Object.entries(MISSING_PLATFORMS)) {
  if (platforms.length > 0) console.log(`not made for ${platform}: ${reason}`);
}
console.log(
  `Flotilla ${version}, ${commit === undefined ? 'of changes that no commit has' : `commit ${commit}`}: ${out}`,
);
if (values.url === undefined) {
  console.log(
    'flotilla-krew.yaml names releases.example: make dist RELEASE_URL=https://… names the place of your release',
  );
}
