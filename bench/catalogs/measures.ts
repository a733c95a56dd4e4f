import { SERVICE_ALLOCATOR, SERVICE_ARGUMENTS } from '#platform/processes/service-memory';

/** A catalog to measure with: a directory; `real` is a public one. */
export type BenchCatalog = Readonly<{ name: string; directory: string; real: boolean }>;

/** One row for each catalog: a program that is run in a process of its own. */
export type Measure = Readonly<{
  name: string;
  /** Program and arguments; `state` is a folder of this catalog alone. */
  command: (catalog: BenchCatalog, state: string) => readonly string[];
  /** `fresh`: the folder is empty at each run; `kept`: it is as the last measure left it. */
  state: 'fresh' | 'kept';
  /** No program of Node's: GNU time measures it. */
  foreign?: true;
}>;

const flotilla =
  (...verbs: string[]): Measure['command'] =>
  ({ directory }) => ['bin/flotilla', 'catalog', ...verbs, directory];

/** A step of the hub's work in a process with the settings of its services. */
export const hubStep = (...args: readonly string[]): readonly string[] => [
  'env',
  ...Object.entries(SERVICE_ALLOCATOR).map(([name, value]) => `${name}=${value}`),
  process.execPath,
  ...SERVICE_ARGUMENTS,
  'dist/bench/catalogs/hub-steps.js',
  ...args,
];

const hub =
  (step: string): Measure['command'] =>
  ({ directory }, state) =>
    hubStep(step, directory, state);

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

const opm =
  (program: string, ...verbs: string[]): Measure['command'] =>
  ({ directory }) => [program, ...verbs, directory];

/** The same work done by an opm, to compare with. */
export const opmMeasures = (program: string): readonly Measure[] => [
  { name: 'opm validate', command: opm(program, 'validate'), state: 'fresh', foreign: true },
  { name: 'opm render -o json', command: opm(program, 'render', '-o', 'json'), state: 'fresh', foreign: true },
  {
    name: 'opm alpha list packages',
    command: opm(program, 'alpha', 'list', 'packages'),
    state: 'fresh',
    foreign: true,
  },
];
