/**
 * An invariant of upgrade graphs that the new catalog breaks (decision 0117: "any operator found in Old has a
 * single replacement in New", "any operator found in New has a single replacement in New", "any z-stream
 * release in Old will update to the latest z-stream release in New").
 */
export type BrokenInvariant = Readonly<{
  invariant: Invariant;
  package: string;
  channel: string;
  /** The bundle that a user may have installed; empty where the break concerns the whole channel. */
  bundle: string;
  version: string;
  /** The bundle that OLM went to from it, and the bundle at which OLM stopped. */
  before: string;
  after: string;
  /** What to add or take away to mend it. */
  mend: string;
}>;

/**
 * `lost-way`: nothing follows the bundle any more. `several-next`: more than one entry that OLM may take
 * names it as what it follows. `elsewhere`: the way from it no longer ends at the newest, or its next update
 * is an older one than before. `z-stream`: of a minor version whose releases updated to the newest of them at
 * once, this one no longer does.
 */
export const INVARIANTS = ['lost-way', 'several-next', 'elsewhere', 'z-stream'] as const;
export type Invariant = (typeof INVARIANTS)[number];
