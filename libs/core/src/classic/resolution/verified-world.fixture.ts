import type { PackageRecord } from '../../catalog/model/package-record.js';
import { sliceCatalogs } from './catalog-slice.js';
import type { DesiredNamespace, Resolution, ResolutionProblem } from './resolution-problem.js';
import { resolve } from './resolve.js';
import { sampleCatalog, samplePackage } from './sample-problem.fixture.js';
import { type FailedAnswer, verifyFailure } from './verify-failure.js';
import { verifyResolution } from './verify-resolution.js';

export type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** Groups of a namespace that asks for isolation. */
export const isolating = [{ name: 'group', upgradeStrategy: '', excludeGlobal: false, isolate: true as const }];

/** A problem, what the resolver answers to it, and what the applier says of an answer. */
export class World {
  readonly problem: ResolutionProblem;
  readonly #records: ReadonlyMap<string, PackageRecord>;

  constructor(desired: DesiredNamespace, packages: readonly PackageRecord[]) {
    const { slices, records } = sliceCatalogs(desired, [sampleCatalog('shelf', ...packages)]);
    this.problem = { v: 1, wishes: desired, catalogs: slices };
    this.#records = records;
  }

  readonly record = (hash: string): PackageRecord => this.#records.get(hash) ?? samplePackage(hash);
  readonly answer = (): Resolution => resolve(this.problem, this.record);
  readonly check = (claimed: FailedAnswer) => verifyFailure(this.problem, this.record, claimed);
  readonly refusal = (claimed: Resolved): string | undefined => verifyResolution(this.problem, this.record, claimed);
}
