/**
 * Kinds of problems of an installed operator, in order of precedence
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

/** A problem of a part of an installed operator. The phase table gives the phase that follows. */
export type ComponentProblem = Readonly<{ kind: ProblemKind; message: string }>;

/** Returns the problem of the kind with the highest precedence. */
export const firstProblem = (problems: readonly ComponentProblem[]): ComponentProblem | undefined =>
  PROBLEM_KINDS.flatMap((kind) => problems.find((one) => one.kind === kind) ?? [])[0];
