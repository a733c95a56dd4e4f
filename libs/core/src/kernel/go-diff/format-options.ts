/** The part to write: the difference, the common part, or only removed or inserted elements. */
export type DiffMode = 'difference' | 'identical' | 'removed' | 'inserted';
/** Rule for writing the type before its value: always, never, or before lists, maps and structs. */
type TypeMode = 'emit' | 'elide' | 'auto';

/** How a value is written (go-cmp v0.7, formatOptions). */
export type FormatOptions = Readonly<{
  diff: DiffMode;
  types: TypeMode;
  /** Amount of output: a higher number writes more. */
  verbosity: number;
  /** Write pointers to structs field by field, not by their own String method. */
  avoidStringer: boolean;
}>;

/** Returns the verbosity within the bounds go-cmp keeps to. */
export const verbosityOf = ({ verbosity }: FormatOptions): number => Math.min(Math.max(verbosity, 0), 16);

/** Entries of a list of equal values, of removed ones, or of inserted ones: 0, 4, 8, 16 and so on. */
export const plainEntries = (options: FormatOptions): number => ((1 << verbosityOf(options)) >> 1) << 2;

export const oneLess = (options: FormatOptions): FormatOptions => ({ ...options, verbosity: options.verbosity - 1 });

/** Returns the options for the next attempt to find texts that differ for two different values. */
export const moreVerbose = (options: FormatOptions, attempt: number): FormatOptions => ({
  ...options,
  verbosity: verbosityOf(options) + 2 * attempt,
  avoidStringer: options.avoidStringer || attempt > 0,
});
/** Attempts after which go-cmp would print addresses. These differ each time. */
export const ATTEMPTS = 6;
