import { defineConfig } from 'vitest/config';

// What ends a test that hangs; generous, because a busy machine is no reason to fail.
const shared = {
  environment: 'node' as const,
  testTimeout: 120_000,
  hookTimeout: 120_000,
};

// Three layers: `unit` needs Node alone, `integration` starts Redis and real processes, `e2e` a real control plane.
export default defineConfig({
  resolve: { conditions: ['flotilla-source', 'node'] },
  ssr: { resolve: { conditions: ['flotilla-source', 'node'] } },
  test: {
    maxWorkers: 2,
    // Titles name whole rows of the specification.
    taskTitleValueFormatTruncate: 400,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['default', './libs/testing/src/report/plain-line.reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: ['{libs,apps,test/vectors,test/rules}/**/*.spec.ts'],
          // The files of a worker share their modules: reading these anew for each of two hundred files costs more than the tests.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'integration',
          include: ['test/integration/**/*.spec.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.spec.ts'],
          testTimeout: 300_000,
          hookTimeout: 1_800_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
