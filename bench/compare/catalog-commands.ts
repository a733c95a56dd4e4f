import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hubStep } from '../catalogs/measures.js';
import type { Comparison } from './comparison.js';
import { type Command, timedCommand } from './timed-command.js';

/** A directory with a catalog; `make` creates it if it is missing. */
export type ComparedCatalog = Readonly<{ directory: string; make?: () => Promise<unknown> }>;

/** Catalogs to compare with; `real` is the public one, if it is there. */
export type ComparedCatalogs = Readonly<{ oneBundle: ComparedCatalog; large: ComparedCatalog; real?: string }>;

/** One piece of work as the arguments of opm and the command of Flotilla. */
type Row = Readonly<{
  work: string;
  opm: Command;
  ours: Command;
  state?: 'fresh' | 'kept';
  mostPairs?: number;
  first?: (() => Promise<unknown>) | undefined;
}>;

/** Work of many seconds. */
const FEW = 3;

/** Compares opm with the command or the poller of Flotilla at work on catalogs. */
export function catalogCommands(opm: string | undefined, catalogs: ComparedCatalogs, folder: string): Comparison[] {
  return rowsOf(catalogs, folder).map(({ work, opm: args, ours, state, mostPairs, first }) => {
    // Each starts with its own folder alone: files kept by the other are for the work that comes next.
    const run = (command: Command, kept: string) => {
      const prepare = async () => {
        if (state === 'fresh') await rm(kept, FORCE);
        await mkdir(kept, { recursive: true });
      };
      return () => timedCommand(command, { folder, prepare });
    };
    return {
      work,
      ours: run(ours, ofOurs(folder)),
      ...(opm === undefined ? {} : { original: run([opm, ...args], ofOpm(folder)) }),
      ...(mostPairs === undefined ? {} : { mostPairs }),
      ...(first === undefined ? {} : { first }),
    };
  });
}

const FORCE = { recursive: true, force: true };
const ofOpm = (folder: string) => join(folder, 'opm-cache');
const ofOurs = (folder: string) => join(folder, 'hub');

function rowsOf({ oneBundle, large, real }: ComparedCatalogs, folder: string): readonly Row[] {
  return [
    { work: 'print its version', opm: ['version'], ours: ['bin/flotilla', 'version', '--client'] },
    validated(oneBundle, 'a catalog of one bundle'),
    ...(real === undefined ? [] : realRows(real, folder)),
    { ...validated(large, '150 MB of JSON'), mostPairs: FEW },
    { ...rendered(large, '150 MB of JSON'), mostPairs: FEW },
  ];
}

const realRows = (real: string, folder: string): Row[] => [
  validated({ directory: real }, 'v4.20'),
  rendered({ directory: real }, 'v4.20'),
  ...indexRows(real, folder),
];

const flotilla = (...verbs: string[]): Command => ['bin/flotilla', 'catalog', ...verbs];

const validated = ({ directory, make }: ComparedCatalog, name: string): Row => ({
  work: `validate ${name}`,
  first: make,
  opm: ['validate', directory],
  ours: flotilla('validate', directory),
});

const rendered = ({ directory, make }: ComparedCatalog, name: string): Row => ({
  work: `render ${name} as JSON`,
  first: make,
  opm: ['render', '-o', 'json', directory],
  ours: flotilla('render', directory),
});

/** Compares the work of a catalog's server before it answers. */
function indexRows(real: string, folder: string): Row[] {
  const serve = ['serve', real, '--cache-dir', ofOpm(folder), '--cache-only'];
  const hub = (step: string): Command => hubStep(step, real, ofOurs(folder));
  return [
    {
      work: 'list packages of v4.20',
      opm: ['alpha', 'list', 'packages', real],
      ours: flotilla('packages', real),
    },
    { work: 'index v4.20 for resolution, nothing kept', opm: serve, ours: hub('index'), state: 'fresh' },
    { work: 'index v4.20 for resolution, kept from before', opm: serve, ours: hub('restarted'), state: 'kept' },
  ];
}
