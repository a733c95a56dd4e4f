/** Entry files by the name of their output. Threads are started by name from the same folder. */
export const PROGRAM_ENTRIES: Readonly<Record<string, string>> = {
  flotilla: 'apps/cli/src/main.ts',
  'catalog-poller': 'apps/catalog-poller/src/main.ts',
  'resolver-worker': 'apps/resolver-worker/src/main.ts',
  applier: 'apps/applier/src/main.ts',
  'fleet-controller': 'apps/fleet-controller/src/main.ts',
  notifier: 'apps/notifier/src/main.ts',
  console: 'apps/console/src/main.ts',
  'solve.thread': 'libs/lifecycle/src/solve/solve.thread.ts',
  'read-catalog.thread': 'libs/lifecycle/src/catalogs/contents/read-catalog.thread.ts',
  'read-layers.thread': 'libs/platform/src/registry/image/layers/read-layers.thread.ts',
};
