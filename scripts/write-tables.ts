/**
 * Writes the pages that are made of the repository itself: the index of decisions. Run by Node itself
 * (`make tables`): it strips the types, so that no build is needed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { decisionIndex, RECORD_FILE, readMoved, readRecord } from './tables/decision-records.ts';

const DECISIONS = 'docs/decisions';
const moved = readMoved(readFileSync(`${DECISIONS}/moved.md`, 'utf8'));
const records = globSync('*.md', { cwd: DECISIONS })
  .filter((file) => RECORD_FILE.test(file) && !moved.has(file.slice(0, 4)))
  .map((file) => readRecord(file, readFileSync(`${DECISIONS}/${file}`, 'utf8')));
writeFileSync(`${DECISIONS}/README.md`, decisionIndex(records));
