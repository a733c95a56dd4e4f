/**
 * Writes the pages that are made of the repository itself: the index of decisions, and tables of folders. Run
 * by Node itself (`make tables`): it strips the types, so that no build is needed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { decisionIndex, RECORD_FILE, readRecord } from './tables/decision-records.ts';
import { FOLDER_ROOTS, foldersPage, withFolderTables } from './tables/folder-tables.ts';

const DECISIONS = 'docs/decisions';
const records = globSync('*.md', { cwd: DECISIONS })
  .filter((file) => RECORD_FILE.test(file))
  .map((file) => readRecord(file, readFileSync(`${DECISIONS}/${file}`, 'utf8')));
writeFileSync(`${DECISIONS}/README.md`, decisionIndex(records));

const lines = new Map(
  globSync(FOLDER_ROOTS.flatMap((root) => [`${root}/README.md`, `${root}/**/README.md`])).map((file) => [
    dirname(file),
    readFileSync(file, 'utf8').trim(),
  ]),
);
writeFileSync('docs/contributing/folders.md', foldersPage(lines));
writeFileSync('ARCHITECTURE.md', withFolderTables(readFileSync('ARCHITECTURE.md', 'utf8'), lines));
