import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import {
  type ChangeEntry,
  changeList,
  entryProblems,
  MOST_WORDS,
  readEntry,
  wordsOfEntries,
} from '../../scripts/distribution/change-entries.js';
import { releaseTexts, VERSION_PLACES, versionsIn } from '../../scripts/distribution/release-texts.js';

const paths = [...Object.keys(VERSION_PLACES), 'CHANGELOG.md'];
const read = (path: string): string => readFileSync(join(PROJECT_ROOT, path), 'utf8');
const files = Object.fromEntries(paths.map((path) => [path, read(path)]));
const { version } = JSON.parse(files['package.json'] ?? '') as { version: string };
const ENTRY: ChangeEntry = { file: 'a.md', kind: 'added', text: 'A verb.' };

describe('make release', () => {
  it('finds one version in every file that names it', () => {
    expect(versionsIn(files)).toEqual(Object.values(VERSION_PLACES).flatMap((places) => places.map(() => version)));
  });

  it('writes the new version everywhere, and nothing else but its list of changes', () => {
    const made = releaseTexts(files, [ENTRY], '77.1.0-rc.1', '2026-12-01');
    expect(new Set(versionsIn(made))).toEqual(new Set(['77.1.0-rc.1']));
    const { packages } = JSON.parse(made['package-lock.json'] ?? '');
    expect(packages[''].version).toBe('77.1.0-rc.1');
    const changed = paths.map((path) => {
      const before = new Set(files[path]?.split('\n'));
      return (made[path] ?? '').split('\n').filter((line) => !before.has(line));
    });
    expect(changed.flat().filter((line) => !line.includes('77.1.0-rc.1') && line !== '- A verb.')).toEqual([]);
  });

  it('moves the entries under the heading of the version, by kind', () => {
    const changelog = '# Changelog\n\n## Unreleased\n\nIn files.\n\n## 0.0.1 - 2026-01-01\n- First.\n';
    const entries = [
      { ...ENTRY, file: 'b.md', text: 'A\n[second](../docs/a.md) line.' },
      ENTRY,
      { file: 'c.md', kind: 'upgrade', text: 'Apply it.' },
    ];
    const made = releaseTexts({ ...files, 'CHANGELOG.md': changelog }, entries, version, '2026-12-01');
    expect(made['CHANGELOG.md']).toBe(
      `# Changelog\n\n## Unreleased\n\nIn files.\n\n## ${version} - 2026-12-01\n\n### Upgrade notes\n\n- Apply it.\n\n` +
        '### Added\n\n- A verb.\n- A\n  [second](docs/a.md) line.\n\n## 0.0.1 - 2026-01-01\n- First.\n',
    );
  });

  it.each([
    { wanted: '1.2', because: '"1.2" is not a version such as 1.2.3' },
    { wanted: 'v77.0.0', because: '"v77.0.0" is not a version' },
    { wanted: '0.0.1', because: `0.0.1 is older than ${version}` },
    { wanted: '77.0.0', entries: [], because: 'changes holds no entry' },
    { wanted: '77.0.0', changelog: '## Unreleased\n## 77.0.0\n- A.\n', because: 'a heading for 77.0.0 already' },
    { wanted: '77.0.0', changelog: '# Changelog\n', because: 'has no heading "## Unreleased"' },
  ])('refuses $wanted: $because', ({ wanted, entries = [ENTRY], changelog = '## Unreleased\n', because }) => {
    const make = () => releaseTexts({ ...files, 'CHANGELOG.md': changelog }, entries, wanted, '2026-12-01');
    expect(make).toThrow(because);
  });
});

describe('entries of the next release', () => {
  const names = globSync('*.md', { cwd: join(PROJECT_ROOT, 'changes') }).filter((file) => file !== 'README.md');
  const entries = names.map((file) => readEntry(file, read(`changes/${file}`)));

  it('are sentences of at most two lines for users', () => {
    expect(entries.flatMap(entryProblems)).toEqual([]);
  });

  it(`have at most ${MOST_WORDS} words together`, () => {
    expect(wordsOfEntries(entries)).toBeLessThanOrEqual(MOST_WORDS);
  });

  it('stand in changes, and not in CHANGELOG.md: write changes/NAME.md as its README.md says', () => {
    const [, unreleased = ''] = (files['CHANGELOG.md'] ?? '').split(/^## /m);
    expect(unreleased).toMatch(/^Unreleased\n/);
    expect(unreleased.split('\n').filter((line) => /^(?:- |### )/.test(line))).toEqual([]);
  });

  it('name no numbers of decisions in any release', () => {
    expect(files['CHANGELOG.md']?.match(/decisions?[/ ]\d{4}/gi)).toBeNull();
  });

  it.each([
    { text: 'No front matter.', problem: 'begin with front matter' },
    { text: '---\nkind: moved\n---\n\nA.', problem: 'begin with front matter' },
    { text: '---\nkind: fixed\n---\n\nA\nB\nC.', problem: 'one or two lines' },
    { text: `---\nkind: fixed\n---\n\nA${'a'.repeat(300)}.`, problem: 'at most 280 characters' },
    { text: '---\nkind: fixed\n---\n\nno sentence', problem: 'a sentence is expected' },
    { text: '---\nkind: fixed\n---\n\nIt holds (decision 0512).', problem: 'no numbers of decisions' },
  ])('are refused: $problem', ({ text, problem }) => {
    expect(entryProblems(readEntry('a.md', text)).join()).toContain(problem);
  });

  it('are listed by kind', () => {
    expect(changeList([])).toBe('');
    expect(changeList([ENTRY])).toBe('### Added\n\n- A verb.\n');
  });
});
