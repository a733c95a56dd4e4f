import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import type { PlannedHop } from './planned-there.js';

/** What the catalog deprecates of what would be installed by then. */
type Deprecations = Readonly<{ deprecations?: readonly string[] }>;

/**
 * What a cluster would install: the InstallPlans one after the other, with the objects that lead to them, or
 * what it waits for, why it cannot be, or what is in the way. `ends`: why the path does not go on.
 */
export type ClassicPreview =
  | (Readonly<{ hops: readonly [PlannedHop, ...PlannedHop[]]; ends?: string; desired: DesiredClassic }> & Deprecations)
  | Readonly<{ waits: string }>
  /** It has what it would get. */
  | (Readonly<{ nothing: string }> & Deprecations)
  | Readonly<{ fails: string }>
  | Readonly<{ conflict: string }>;

/** What is to be had later, or not at all, and why. */
export type NotThere = Readonly<{ waits: string }> | Readonly<{ gone: string }>;
