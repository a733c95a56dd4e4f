/**
 * What is wrong with a part of an installed operator, and so where the CSV goes from here (spec: csv-lifecycle.md §5):
 * `unrecoverable` fails it, `drifted` installs again, `waiting` waits.
 */
export type ComponentProblem = Readonly<{ kind: 'unrecoverable' | 'drifted' | 'waiting'; message: string }>;
