import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { NoRelease, releaseTexts, VERSION_PLACES } from './distribution/release-texts.js';

// `make release VERSION=1.2.3`: writes a version into every file that names it, and closes the list of
// unreleased changes. It makes no commit and no tag: it prints how.

const [version = ''] = process.argv.slice(2);
const paths = [...Object.keys(VERSION_PLACES), 'CHANGELOG.md'];
const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(PROJECT_ROOT, path), 'utf8')]));
try {
  const written = releaseTexts(files, version, new Date().toISOString().slice(0, 10));
  for (const [path, text] of Object.entries(written)) writeFileSync(join(PROJECT_ROOT, path), text);
  console.log(`Flotilla ${version} is in ${paths.join(', ')}. Next:`);
  console.log(`  git commit --all --message 'Release ${version}' && git tag v${version}`);
  console.log('  make test && make dist RELEASE_URL=https://…');
} catch (error) {
  if (!(error instanceof NoRelease)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 2;
}
