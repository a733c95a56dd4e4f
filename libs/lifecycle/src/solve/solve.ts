import type { PackageRecord } from '#core/catalog/model/package-record';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { resolveAsked } from '#core/classic/upgrade-path/asked-path';
import type { RecordChange } from './held-records.js';

/** One problem with every package record that its slices name. Plain data: it crosses a thread boundary. */
export type SolveRequest = Readonly<{
  problem: ResolutionProblem;
  records: ReadonlyMap<string, PackageRecord>;
}>;

/** The same as it is sent to a thread that holds records of earlier problems. */
export type ThreadRequest = Readonly<{ problem: ResolutionProblem; change: RecordChange }>;

/**
 * The store lacks a record that the problem names: the poller stores records first, so the store has lost it.
 */
class MissingRecord extends Error {
  constructor(readonly hash: string) {
    super(`package record ${hash} is not in the problem store`);
  }
}

/** The pure solver over the records at hand. */
export function solve({ problem, records }: SolveRequest): Resolution {
  return resolveAsked(problem, (hash) => {
    const record = records.get(hash);
    if (record === undefined) throw new MissingRecord(hash);
    return record;
  });
}
