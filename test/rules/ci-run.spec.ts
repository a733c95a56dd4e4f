import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const script = readFileSync(join(PROJECT_ROOT, '.ci/run'), 'utf8');
const sections = [...script.matchAll(/^section (\d+) make ([a-z0-9-]+)/gm)].map(([, minutes, name]) => ({
  minutes: Number(minutes),
  name,
}));

it('.ci/run runs the command of the README first, then every other suite', () => {
  expect(sections.map(({ name }) => name)).toEqual([
    'test',
    'test-all',
    'verify',
    'audit',
    'e2e',
    'console-test',
    'compose-test',
    'chaos',
  ]);
});

it('.ci/run has sections whose limits sum to at most 85 minutes', () => {
  expect(sections.reduce((sum, { minutes }) => sum + minutes, 0)).toBeLessThanOrEqual(85);
});
