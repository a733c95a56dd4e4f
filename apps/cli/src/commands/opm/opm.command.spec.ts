import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const CATALOG = join(PROJECT_ROOT, 'examples/catalogs/v1');
it('opm gives what the verb of Flotilla gives', async () => {
  const [opm, own] = await Promise.all([
    runFlotilla(['opm', 'render', CATALOG, '-o', 'yaml']),
    runFlotilla(['catalog', 'render', CATALOG, '-o', 'yaml']),
  ]);
  expect(opm).toEqual(own);
  expect(opm.out.length).toBeGreaterThan(1_000);
});

it.each([
  { argv: ['validate', '/nowhere'], because: 'bad input' },
  { argv: ['validate', '--colour', '/'], because: 'an unknown flag' },
])('opm ends with exit code 1 after $because, as opm does', async ({ argv }) => {
  const { exit, err } = await runFlotilla(['opm', ...argv]);
  expect(exit).toBe(1);
  expect(err).not.toBe('');
});

it('opm without a verb, and opm --help, show what it is', async () => {
  for (const argv of [['opm'], ['opm', '--help']]) {
    const { out, exit } = await runFlotilla(argv);
    expect(out.replaceAll(/\s+/g, ' ')).toContain('so that scripts for opm run unchanged');
    expect(exit).toBe(0);
  }
});
