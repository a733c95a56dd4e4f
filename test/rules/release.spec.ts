import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { releaseTexts, VERSION_PLACES, versionsIn } from '../../scripts/distribution/release-texts.js';

const paths = [...Object.keys(VERSION_PLACES), 'CHANGELOG.md'];
const read = (path: string): string => {
  const text = readFileSync(join(PROJECT_ROOT, path), 'utf8');
  // Just after a release nothing is unreleased.
  return path === 'CHANGELOG.md' ? text.replace('## Unreleased\n', '## Unreleased\n\n- A change.\n') : text;
};
const files = Object.fromEntries(paths.map((path) => [path, read(path)]));
const { version } = JSON.parse(files['package.json'] ?? '') as { version: string };

describe('make release', () => {
  it('finds one version in every file that names it', () => {
    expect(versionsIn(files)).toEqual(Object.values(VERSION_PLACES).flatMap((places) => places.map(() => version)));
  });

  it('writes the new version everywhere, and nothing else but the heading', () => {
    const made = releaseTexts(files, '77.1.0-rc.1', '2026-12-01');
    expect(new Set(versionsIn(made))).toEqual(new Set(['77.1.0-rc.1']));
    const { packages } = JSON.parse(made['package-lock.json'] ?? '');
    expect(packages[''].version).toBe('77.1.0-rc.1');
    const changed = paths.map((path) => {
      const before = new Set(files[path]?.split('\n'));
      return (made[path] ?? '').split('\n').filter((line) => !before.has(line));
    });
    expect(changed.flat().filter((line) => !line.includes('77.1.0-rc.1'))).toEqual([]);
  });

  it('moves what is unreleased under the heading of the version', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\n### Added\n- A verb.\n\n## 0.0.1 - 2026-01-01\n- First.\n';
    const made = releaseTexts({ ...files, 'CHANGELOG.md': changelog }, version, '2026-12-01');
    expect(made['CHANGELOG.md']).toBe(
      `# Changelog\n\n## Unreleased\n\n## ${version} - 2026-12-01\n\n### Added\n- A verb.\n\n## 0.0.1 - 2026-01-01\n- First.\n`,
    );
  });

  it.each([
    { wanted: '1.2', changelog: '## Unreleased\n- A.\n', because: '"1.2" is no version such as 1.2.3' },
    { wanted: 'v77.0.0', changelog: '## Unreleased\n- A.\n', because: '"v77.0.0" is no version' },
    { wanted: '0.0.1', changelog: '## Unreleased\n- A.\n', because: `0.0.1 is older than ${version}` },
    {
      wanted: '77.0.0',
      changelog: '## Unreleased\n\n## 0.0.1\n- A.\n',
      because: 'lists nothing under "## Unreleased"',
    },
    { wanted: '77.0.0', changelog: '## Unreleased\n- A.\n## 77.0.0\n- A.\n', because: 'a heading for 77.0.0 already' },
    { wanted: '77.0.0', changelog: '# Changelog\n', because: 'has no heading "## Unreleased"' },
  ])('refuses $wanted: $because', ({ wanted, changelog, because }) => {
    const make = () => releaseTexts({ ...files, 'CHANGELOG.md': changelog }, wanted, '2026-12-01');
    expect(make).toThrow(because);
  });
});
