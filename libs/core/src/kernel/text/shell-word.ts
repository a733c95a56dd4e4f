const PLAIN = /^[\w./:@%+=,-]+$/;

/** A text as one word of a command for a POSIX shell: as it is where that is safe, else in single quotes. */
export const shellWord = (text: string): string => (PLAIN.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Returns the context that such options name, as a word of a shell. */
export const contextWordOf = (options: string): string | undefined => /--context ('.*'|\S+)$/.exec(options)?.[1];

/** The option by which `flotilla` and `kubectl` reach a cluster, whatever the current context is. */
export const contextOption = (cluster: string): string => `--context ${shellWord(cluster)}`;
