import type { PackageRecord } from '../../catalog/model/package-record.js';
import { partOf } from '../resolution/isolation/resolution-parts.js';
import type { DesiredNamespace, Resolution, ResolutionProblem } from '../resolution/problem/resolution-problem.js';
import { resolve } from '../resolution/resolve.js';
import { afterHop, MOST_HOPS, movesOf, type ResolvedHop } from './resolve-path.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;
type Refused = Exclude<Resolution, Resolved>;

/** A hop of one Subscription, with the problem and the whole answer that it follows from. */
export type AskedHop = ResolvedHop & Readonly<{ problem: ResolutionProblem; solution: Resolved }>;

/**
 * The hops of a Subscription. `ends`: the reason it does not continue after the last, if that is an answer.
 */
export type AskedPath = Readonly<{
  hops: readonly AskedHop[];
  ends?: Readonly<{ problem: ResolutionProblem; solution: Refused } | { leftOut: string }>;
}>;

/** Solves a problem, and the hops that follow for the Subscription with a requested path (fleet.md §3.1). */
export function resolveAsked(problem: ResolutionProblem, record: (hash: string) => PackageRecord): Resolution {
  const first = resolve(problem, record);
  const { path: subscription } = problem;
  if (subscription === undefined || first.result !== 'resolved') return first;
  const following: Resolution[] = [];
  let hop = hopOf(problem.wishes, first, subscription);
  let { wishes } = problem;
  while (hop !== undefined && following.length < MOST_HOPS - 1) {
    wishes = afterHop(wishes, hop);
    const next = resolve({ ...problem, wishes }, record);
    hop = next.result === 'resolved' ? hopOf(wishes, next, subscription) : undefined;
    const isAnswer = hop !== undefined || next.result !== 'resolved' || leftOutOf(next, subscription) !== undefined;
    if (isAnswer) following.push(next);
  }
  return following.length === 0 ? first : { ...first, following };
}

/** The hops that an answer to a problem with `path` leads to. Nothing in it was verified yet. */
export function askedPath(problem: ResolutionProblem, { following = [], ...first }: Resolved): AskedPath {
  const hops: AskedHop[] = [];
  let { wishes } = problem;
  for (const solution of [first, ...following].slice(0, MOST_HOPS)) {
    const here = { ...problem, wishes };
    if (solution.result !== 'resolved') return { hops, ends: { problem: here, solution } };
    const hop = hopOf(wishes, solution, problem.path ?? '');
    const leftOut = leftOutOf(solution, problem.path ?? '');
    if (hop === undefined) return leftOut === undefined ? { hops } : { hops, ends: { leftOut } };
    hops.push({ ...hop, problem: here, solution });
    wishes = afterHop(wishes, hop);
  }
  return { hops };
}

function hopOf(wishes: DesiredNamespace, solution: Resolved, subscription: string): ResolvedHop | undefined {
  const resolution = partOf(solution, subscription);
  if (resolution === undefined) return undefined;
  const moves = movesOf(wishes, resolution);
  return moves.some((move) => move.subscription === subscription) ? { resolution, moves } : undefined;
}

const leftOutOf = ({ unresolved }: Resolved, subscription: string): string | undefined =>
  unresolved?.find(({ name }) => name === subscription)?.message;
