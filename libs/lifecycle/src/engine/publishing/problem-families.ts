import { deservesMoreTime } from '#core/classic/resolution/problem/given-up';
import type { ResolveJob } from '#platform/queue/jobs';
import type { ExtensionProblems, NamespaceProblems, ProblemFamily } from '#platform/store/problem-store.port';

/** Differences between families of problems in publishing, solving and waiting. */
export type FamilyRules<F extends ProblemFamily> = Readonly<{
  /** The mark of the family on a job of the queues `resolve` and `solved`. */
  mark: Pick<ResolveJob, 'extension'>;
  /** Hashes of the package records that the problem names, each once. */
  recordsOf: (problem: F['problem']) => ReadonlySet<string>;
  /** True if a stored solution is computed again when a solve may take `deadlineMs`. */
  isSolvedAnew: (solution: F['solution'], deadlineMs: number) => boolean;
}>;

/** OLM Classic: a namespace's Subscriptions. */
export const NAMESPACE_RULES: FamilyRules<NamespaceProblems> = {
  mark: {},
  recordsOf: ({ catalogs }) => new Set(catalogs.flatMap(({ packages }) => packages.map(({ record }) => record))),
  isSolvedAnew: deservesMoreTime,
};

/** OLM v1: a ClusterExtension. Its choice takes a millisecond and is never given up. */
export const EXTENSION_RULES: FamilyRules<ExtensionProblems> = {
  mark: { extension: true },
  recordsOf: ({ catalogs }) => new Set(catalogs.flatMap(({ record }) => record ?? [])),
  isSolvedAnew: () => false,
};
