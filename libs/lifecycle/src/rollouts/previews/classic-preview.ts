import type { DesiredClassic } from '#core/rollout/desired/desired-classic';
import type { PlannedHop } from './planned-there.js';

/** Deprecations by the catalog of the version that would be installed. */
type Deprecations = Readonly<{ deprecations?: readonly string[] }>;

/**
 * The installs of a cluster: the InstallPlans one after the other, with the objects that lead to them.
 * Otherwise the input that they wait for, the reason why they are impossible, or the conflict. `ends`: the
 * reason why the path does not continue.
 */
export type ClassicPreview =
  | (Readonly<{ hops: readonly [PlannedHop, ...PlannedHop[]]; ends?: string; desired: DesiredClassic }> & Deprecations)
  | Readonly<{ waits: string }>
  /** The cluster has the version that it would get. */
  | (Readonly<{ nothing: string }> & Deprecations)
  | Readonly<{ fails: string }>
  | Readonly<{ conflict: string }>;

/** An object that is available later, or never, with the reason. */
export type NotThere = Readonly<{ waits: string }> | Readonly<{ gone: string }>;
