import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE_MS } from '#testing/patience';

const SCRIPT = `
  import { createRequire } from 'node:module';
  const { resolve } = await import('./dist/libs/core/src/classic/resolution/resolve.js');
  const { secondSolver } = await import('./dist/libs/core/src/classic/resolution/explain/second-solver.js');
  const isLoaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('logic-solver'));
  const subscription = { name: 's', package: 'absent', channel: '', startingCSV: '', source: 'c', sourceNamespace: 'n', installedCSV: '', currentCSV: '' };
  const group = { name: 'g', upgradeStrategy: '', excludeGlobal: false };
  const wishes = { namespace: 'n', globalCatalogNamespace: 'olm', operatorGroups: [group], subscriptions: [subscription], csvs: [] };
  const catalogs = [{ key: { namespace: 'n', name: 'c' }, priority: 0, empty: false, packages: [] }];
  const { result } = resolve({ v: 1, wishes, catalogs }, () => undefined);
  const before = isLoaded();
  secondSolver();
  console.log(JSON.stringify({ result, before, after: isLoaded() }));
`;

it(
  'a plain "no" is given without loading the second solver',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT], {
      cwd: PROJECT_ROOT,
      timeout: PATIENCE_MS,
    });
    expect(JSON.parse(stdout)).toEqual({ result: 'unsatisfiable', before: false, after: true });
  },
  PATIENCE_MS,
);
