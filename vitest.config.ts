import { defineConfig } from 'vitest/config';
import { LIMITS, PATIENCE } from './libs/testing/src/patience.js';
import type { Suite } from './scripts/tests/choose-tests.js';

const shared = {
  environment: 'node' as const,
  testTimeout: LIMITS.test,
  hookTimeout: LIMITS.hook,
};

/** Tests that `make test` leaves to `make test-all`: whole stories, kills and faults beyond one of each kind. */
const EXTENDED = '**/*.extended.spec.ts';

const SUITES: Readonly<Record<Suite, string>> = {
  unit: '{libs,apps,bench,test/vectors,test/rules,test/chaos,test/corpus}/**/*.spec.ts',
  integration: 'test/integration/**/*.spec.ts',
  extended: `{libs,apps,bench,test}/${EXTENDED}`,
};

/** One project of several suites. The files of a worker share their modules, whichever suite they are of. */
const projectOf = (suites: readonly Suite[]) => ({
  extends: true as const,
  test: {
    ...shared,
    name: suites.join(' and '),
    include: suites.map((suite) => SUITES[suite]),
    exclude: suites.includes('extended') ? [] : [EXTENDED],
    isolate: false,
  },
});

const all = Object.keys(SUITES) as Suite[];
/** Suites that scripts/tests/run-tests.ts runs at once. */
const chosen = process.env['FLOTILLA_TEST_SUITES']?.split(' ').filter((name): name is Suite => name in SUITES);

// Layers: `unit` needs Node alone, `integration` starts Redis and real processes, `extended` is more of both,
// `e2e` starts a real control plane, `console` a browser, `compose` a Docker engine, too.
export default defineConfig({
  resolve: { conditions: ['flotilla-source', 'node'] },
  ssr: { resolve: { conditions: ['flotilla-source', 'node'] } },
  test: {
    // More than the two cores that `make test` is made for: while files wait for a pause or a time limit, two
    // work. But each worker loads and compiles the modules for itself, which is seconds of CPU.
    maxWorkers: chosen?.includes('extended') === true ? 4 : 3,
    globalSetup: './libs/testing/src/own-temporary-folder.ts',
    // Titles name whole rows of the specification.
    taskTitleValueFormatTruncate: 400,
    expect: { poll: PATIENCE },
    reporters: ['default', './libs/testing/src/report/plain-line.reporter.ts'],
    projects: [
      ...(chosen === undefined ? all.map((suite) => projectOf([suite])) : [projectOf(chosen)]),
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.spec.ts'],
          testTimeout: LIMITS.e2eTest,
          hookTimeout: LIMITS.e2eHook,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'console',
          include: ['test/console/**/*.spec.ts'],
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'compose',
          include: ['test/compose/**/*.spec.ts'],
          testTimeout: LIMITS.e2eTest,
          hookTimeout: LIMITS.e2eHook,
          fileParallelism: false,
        },
      },
    ],
  },
});
