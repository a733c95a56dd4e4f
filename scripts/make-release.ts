import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readEntry } from './distribution/change-entries.js';
import { NoRelease, releaseTexts, VERSION_PLACES } from './distribution/release-texts.js';

// `make release VERSION=1.2.3`: writes a version into every file that names it, and moves the entries of
// `changes` into the changelog. It makes no commit and no tag: it prints how.

const [version = ''] = process.argv.slice(2);
const paths = [...Object.keys(VERSION_PLACES), 'CHANGELOG.md'];
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const files = Object.fromEntries(paths.map((path) => [path, read(path)]));
const changes = globSync('*.md', { cwd: join(PROJECT_ROOT, 'changes') }).filter((file) => file !== 'README.md');
try {
  const entries = changes.map((file) => readEntry(file, read(`changes/${file}`)));
  const written = releaseTexts(files, entries, version, new Date().toISOString().slice(0, 10));
  for (const [path, text] of Object.entries(written)) writeFileSync(join(PROJECT_ROOT, path), text);
  for (const file of changes) rmSync(join(PROJECT_ROOT, 'changes', file));
  console.log(`Flotilla ${version} is in ${paths.join(', ')}. Next:`);
  console.log(`  git add --all && git commit --message 'Release ${version}' && git tag v${version}`);
  console.log('  make test && make dist RELEASE_URL=https://…');
} catch (error) {
  if (!(error instanceof NoRelease)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
