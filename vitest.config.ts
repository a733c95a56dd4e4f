import { defineConfig } from 'vitest/config';
import { LIMITS, PATIENCE } from './libs/testing/src/patience.js';

const shared = {
  environment: 'node' as const,
  testTimeout: LIMITS.test,
  hookTimeout: LIMITS.hook,
};

/** Tests that `make test` leaves to `make test-all`: whole stories, kills and faults beyond one of each kind. */
const EXTENDED = '**/*.extended.spec.ts';

// Layers: `unit` needs Node alone, `integration` starts Redis and real processes, `extended` is more of both,
// `e2e` starts a real control plane, `console` a browser, `compose` a Docker engine, too. The files of a worker
// share their modules in the first three: loading these again for each file costs more than most tests.
export default defineConfig({
  resolve: { conditions: ['flotilla-source', 'node'] },
  ssr: { resolve: { conditions: ['flotilla-source', 'node'] } },
  test: {
    // Two more than the two cores that `make test` is made for: while files wait for a pause or a time limit,
    // two work.
    maxWorkers: 4,
    // Titles name whole rows of the specification.
    taskTitleValueFormatTruncate: 400,
    expect: { poll: PATIENCE },
    reporters: ['default', './libs/testing/src/report/plain-line.reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: ['{libs,apps,bench,test/vectors,test/rules,test/chaos,test/corpus}/**/*.spec.ts'],
          exclude: [EXTENDED],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'integration',
          include: ['test/integration/**/*.spec.ts'],
          exclude: [EXTENDED],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'extended',
          include: [`{libs,apps,bench,test}/${EXTENDED}`],
          isolate: false,
        },
      },
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
