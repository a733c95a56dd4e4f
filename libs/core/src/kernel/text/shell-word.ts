const PLAIN = /^[\w./:@%+=,-]+$/;

/**
 * Returns a text as one word of a command for a POSIX shell: unchanged if that is safe, otherwise in single
 * quotes.
 */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Returns the context that such options name, as a word of a shell. */
export const contextWordOf = (options: string): string | undefined => /--context ('.*'|\S+)$/.exec(options)?.[1];

/** Returns the option with which `flotilla` and `kubectl` reach a cluster in any current context. */
export const contextOption = (cluster: string): string => `--context ${shellWord(cluster)}`;
