/** The translation of a flag of opm. */
export type OpmFlag = Readonly<{
  /** The flag of Flotilla; absent: it is left out. */
  to?: string;
  takesValue?: true;
  /** Note on stderr when the flag is left out. */
  note?: string;
}>;

export type OpmVerb = Readonly<{
  /** The words after `opm`, each with the other names that opm has had for it. */
  words: readonly (readonly string[])[];
  flotilla: readonly string[];
  /** Flags besides {@link COMMON_FLAGS}. */
  flags?: Readonly<Record<string, OpmFlag>>;
}>;

const value = (to: string): OpmFlag => ({ to, takesValue: true });
const dropped = (note?: string): OpmFlag => (note === undefined ? {} : { note });
const droppedValue = (note?: string): OpmFlag => ({ takesValue: true, ...(note === undefined ? {} : { note }) });

const NO_CACHE = 'no cache is created: Flotilla serves a catalog without a cache';

/** Flags of every verb. */
export const COMMON_FLAGS: Readonly<Record<string, OpmFlag>> = {
  '--output': value('--output'),
  '-o': value('--output'),
  '--migrate': { to: '--migrate' },
  '--migrate-level': value('--migrate-level'),
  '--debug': dropped(),
  '--help': { to: '--help' },
  '-h': { to: '--help' },
};

/**
 * The verbs of opm about file-based catalogs (spec: file-based-catalogs.md); those of
 * SQLite catalogs have none.
 */
export const OPM_VERBS: readonly OpmVerb[] = [
  {
    words: [['render']],
    flotilla: ['catalog', 'render'],
    flags: { '--alpha-image-ref-template': value('--alpha-image-ref-template') },
  },
  { words: [['validate']], flotilla: ['catalog', 'validate'] },
  {
    words: [['generate'], ['dockerfile']],
    flotilla: ['catalog', 'dockerfile'],
    flags: {
      '--base-image': value('--base-image'),
      '--binary-image': value('--base-image'),
      '-i': value('--base-image'),
      '--builder-image': value('--builder-image'),
      '-b': value('--builder-image'),
      '--extra-labels': value('--extra-labels'),
      '-l': value('--extra-labels'),
    },
  },
  {
    words: [['init']],
    flotilla: ['catalog', 'init'],
    flags: {
      '--default-channel': value('--default-channel'),
      '-c': value('--default-channel'),
      '--description': value('--description'),
      '-d': value('--description'),
      '--icon': value('--icon'),
      '-i': value('--icon'),
    },
  },
  { words: [['migrate']], flotilla: ['catalog', 'migrate'] },
  {
    words: [['serve']],
    flotilla: ['catalog', 'serve', '--grpc', '--host', '0.0.0.0'],
    flags: {
      '--port': value('--port'),
      '-p': value('--port'),
      '--cache-dir': droppedValue(),
      '--cache-enforce-integrity': dropped(),
      '--termination-log': droppedValue(),
      '-t': droppedValue(),
      '--timeout-seconds': droppedValue(),
      '--pprof-addr': droppedValue('there is no profiling endpoint'),
      '--pprof-capture-profiles': dropped('there is no profiling endpoint'),
    },
  },
  ...['packages', 'channels', 'bundles'].map((what) => ({
    words: [['alpha'], ['list'], [what]],
    flotilla: ['catalog', what],
  })),
  {
    words: [['alpha'], ['render-graph']],
    flotilla: ['catalog', 'graph'],
    flags: {
      '--package-name': value('--package'),
      '-p': value('--package'),
      '--minimum-edge': value('--minimum-edge'),
      '--draw-v0-semantics': { to: '--draw-v0-semantics' },
    },
  },
  { words: [['alpha'], ['render-template', 'template', 'render-veneer']], flotilla: ['catalog', 'template'] },
  { words: [['alpha'], ['convert-template']], flotilla: ['catalog', 'convert-template'] },
];

/**
 * The translation of `opm serve --cache-only`, which makes a cache and ends: the check that the catalog can
 * be served.
 */
export const CACHE_ONLY = { flag: '--cache-only', flotilla: ['catalog', 'validate'], note: NO_CACHE } as const;
