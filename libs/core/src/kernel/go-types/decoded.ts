/** A value that does not fit its Go type. */
export type DecodeProblem = Readonly<{
  /** The path of the field, such as `spec.installModes[3].supported`; empty for the whole value. */
  field: string;
  /** The fault and its remedy: `is the number 1; a text is expected: quote it`. */
  message: string;
}>;

/** A value read into a Go type, or everything in it that Go refuses. */
export type Decoded<T> = Readonly<{ ok: true; value: T }> | Readonly<{ ok: false; problems: readonly DecodeProblem[] }>;

/** Returns the first problem in one line, with the number of those that follow. */
export function problemText([first, ...more]: readonly DecodeProblem[]): string {
  if (first === undefined) return '';
  const text = `${first.field || 'the document'} ${first.message}`;
  return more.length === 0 ? text : `${text} (and ${more.length} more)`;
}
