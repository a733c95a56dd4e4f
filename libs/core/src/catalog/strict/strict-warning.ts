/**
 * A fault that opm accepts and that will cause harm nevertheless. A `note` is worth knowing but may be meant
 * so; anything else fails a strict validation.
 */
export type StrictWarning = Readonly<{
  severity: 'warning' | 'note';
  /** Schema of the blob concerned. `name` is empty if the schema or the blob has none. */
  schema: string;
  package: string;
  name: string;
  /** The fault, after its place in the blob: `properties[2] (olm.constraint): …`. */
  message: string;
  /** The text to write instead. */
  advice: string;
}>;

/** A finding of a rule in a part of a blob, before the blob is named. */
export type StrictFinding = Readonly<{ message: string; advice: string; severity?: 'note' }>;

/** Returns the warnings about the findings in one blob. */
export const warningsAbout = (
  blob: Readonly<{ schema: string; package: string; name: string }>,
  findings: readonly StrictFinding[],
): StrictWarning[] =>
  findings.map(({ message, advice, severity }) => ({
    severity: severity ?? 'warning',
    schema: blob.schema,
    package: blob.package,
    name: blob.name,
    message,
    advice,
  }));
