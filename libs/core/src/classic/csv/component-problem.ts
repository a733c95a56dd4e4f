/**
 * Kinds of problems of an installed operator, in the order in which they speak
 * (spec: csv-lifecycle.md §5, result handling).
 */
const PROBLEM_KINDS = [
  'unrecoverable',
  'backendDisrupted',
  'apiServicesMissing',
  'webhookFailed',
  'webhooksMissing',
  'drifted',
  'waiting',
] as const;

export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/**
 * What is wrong with a part of an installed operator; where the CSV goes from here stands in the phase table.
 */
export type ComponentProblem = Readonly<{ kind: ProblemKind; message: string }>;

/** The problem that decides: of all that are there the one whose kind speaks first. */
export const firstProblem = (problems: readonly ComponentProblem[]): ComponentProblem | undefined =>
  PROBLEM_KINDS.flatMap((kind) => problems.find((one) => one.kind === kind) ?? [])[0];
