import type { Entry } from '../../../catalog/model/entry.js';
import type { Requirement } from '../../../catalog/model/requirement.js';
import type { DesiredSubscription } from '../problem/resolution-problem.js';

/** A statement that is true or false of a solution: this entry is installed, or this Subscription exists. */
export type Variable =
  | Readonly<{ kind: 'entry'; entry: Entry }>
  | Readonly<{ kind: 'subscription'; subscription: DesiredSubscription }>;

/**
 * A name that a Subscription asks for and that is missing in its catalog. `has`: names it could use instead.
 * `text` is OLM's.
 */
export type NothingFound = Readonly<{
  lacks: 'catalog' | 'package' | 'channel' | 'startingCSV';
  has: readonly string[];
  text: string;
}>;

/** A rule over variables, given by index. `why` gives its origin; texts are made from it when needed. */
export type Constraint =
  /** `left`: an installed CSV that stays because its Subscription is left out. */
  | Readonly<{ kind: 'mandatory'; subject: number; left?: true }>
  | Readonly<{ kind: 'prohibited'; subject: number; why: Readonly<{ deprecated: true }> | NothingFound }>
  /** At least one of the candidates, best first. `requirement` is absent if a Subscription asks for them. */
  | Readonly<{ kind: 'requires'; subject: number; candidates: readonly number[]; requirement?: Requirement }>
  | Readonly<{ kind: 'conflict'; subject: number; other: number }>
  /** `of` is the shared API or package, as text. */
  | Readonly<{ kind: 'at-most-one'; members: readonly number[]; shared: 'api' | 'package'; of: string }>;

/**
 * The whole problem in the solver's terms (spec: classic-resolution.md §4). Order of
 * constraints is order of preference.
 */
export type ConstraintSystem = Readonly<{
  variables: readonly Variable[];
  constraints: readonly Constraint[];
}>;
