/** A catalog to measure with: a directory. */
export type BenchCatalog = Readonly<{ name: string; directory: string }>;

/** One row for each catalog: a program that is run in a process of its own. */
export type Measure = Readonly<{
  name: string;
  /** Program and arguments; `state` is a folder of this catalog alone. */
  command: (catalog: BenchCatalog, state: string) => readonly string[];
  /** `fresh`: the folder is empty at each run; `kept`: it is as the last measure left it. */
  state: 'fresh' | 'kept';
}>;

const flotilla =
  (...verbs: string[]): Measure['command'] =>
  ({ directory }) => ['bin/flotilla', 'catalog', ...verbs, directory];

const hub =
  (step: string): Measure['command'] =>
  ({ directory }, state) => [process.execPath, 'dist/bench/catalogs/hub-steps.js', step, directory, state];

/** In the order of the table; add a row by adding a line. */
export const measures: readonly Measure[] = [
  { name: 'validate', command: flotilla('validate'), state: 'fresh' },
  { name: 'render as JSON', command: flotilla('render'), state: 'fresh' },
  { name: 'list packages', command: flotilla('packages'), state: 'fresh' },
  { name: 'poller: unpack, validate, store content and records', command: hub('index'), state: 'fresh' },
  { name: 'poller: the same digest polled again', command: hub('polled'), state: 'kept' },
  { name: 'poller: the same digest after a restart', command: hub('restarted'), state: 'kept' },
  { name: 'resolver: all records from Redis', command: hub('open-from-redis'), state: 'kept' },
];
