import type { SeededDraws } from '#testing/seeded-draws';
import { type BundleDraft, csvNameOf } from '../bundles/bundle-draft.js';

/** A line about a trouble: one of the places and all of the words. */
export type Naming = Readonly<{ place: readonly Place[]; words: readonly string[] }>;

/** A text, or one that is known when all oddities are put in. */
export type Place = string | (() => string);

/** Places that a line may name for the trouble of a CSV. */
export const csvPlaces = (draft: BundleDraft): readonly Place[] => [
  () => draft.csv.path,
  () => csvNameOf(draft),
  'ClusterServiceVersion',
];

/** The right outcome of one oddity, as opm, OLM and the API server have it. */
export type Expectation =
  /** Read and installed, with every object. `inExtension`: keeps OLM v1 alone from it. */
  | Readonly<{ verdict: 'accepted'; inExtension?: Naming }>
  /**
   * No cluster can have it: `validate` and `plan` say so, and an install. `reading`: nothing else of the
   * bundle can be read. `applied`: objects may be in the cluster when it is said, since OLM finds it in the
   * phases of the CSV.
   */
  | Readonly<{ verdict: 'refused'; named: Naming; reading?: true; applied?: true }>
  /** OLM installs it, and its author should mend it: `validate` says so. */
  | Readonly<{ verdict: 'advised'; named: Naming }>
  /** This cluster, or its catalogs, cannot have it: an install says so. `plan`: the verdict of plan. */
  | Readonly<{ verdict: 'unmet'; named: Naming; plan: 'yes' | 'no' }>;

/** One thing about a bundle that programs read in different ways, or not at all. */
export type BundleOddity = Readonly<{
  name: string;
  /** Number of 10,000 public bundles with it; 1 if it is known from reports alone. */
  weight: number;
  /** Oddities of one slot exclude each other in a bundle. */
  slot: string;
  /** Replaces a value that others add to, so it is put in after them. */
  replacesValues?: true;
  /** Moves the files that other oddities add, so it is put in after them. */
  movesFiles?: true;
  /** Puts it into the bundle. Returns the expected outcome. */
  put: (draft: BundleDraft, draws: SeededDraws) => Expectation;
}>;

export const ACCEPTED: Expectation = { verdict: 'accepted' };

export const naming = (place: readonly Place[], ...words: readonly string[]): Naming => ({ place, words });

export const refused = (place: readonly Place[], ...words: readonly string[]): Expectation => ({
  verdict: 'refused',
  named: naming(place, ...words),
});

/** The bundle cannot be read because of it. */
export const unreadable = (place: readonly Place[], ...words: readonly string[]): Expectation => ({
  verdict: 'refused',
  named: naming(place, ...words),
  reading: true,
});

/** It is said when the CSV is there. */
export const refusedByPhase = (place: readonly Place[], ...words: readonly string[]): Expectation => ({
  verdict: 'refused',
  named: naming(place, ...words),
  applied: true,
});

export const advised = (place: readonly Place[], ...words: readonly string[]): Expectation => ({
  verdict: 'advised',
  named: naming(place, ...words),
});

export const unmet = (plan: 'yes' | 'no', place: readonly Place[], ...words: readonly string[]): Expectation => ({
  verdict: 'unmet',
  named: naming(place, ...words),
  plan,
});
