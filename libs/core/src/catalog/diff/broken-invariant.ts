/**
 * An invariant of upgrade graphs that the new catalog breaks (why: command.md "Invariants of upgrade graphs":
 * "any operator found in Old has a single replacement in New", "any operator found in New has a single
 * replacement in New", "any z-stream release in Old will update to the latest z-stream release in New").
 */
export type BrokenInvariant = Readonly<{
  invariant: Invariant;
  package: string;
  channel: string;
  /** The bundle that a user may have installed. Empty if the break concerns the whole channel. */
  bundle: string;
  version: string;
  /** The upgrade from `bundle` in the old catalog and in the new one, as text. */
  before: string;
  after: string;
  /** The edit to the catalog that mends the break. */
  mend: string;
}>;

/**
 * Invariants that a new catalog may break.
 * - `lost-way`: no entry follows the bundle any more.
 * - `several-next`: more than one entry that OLM may take replaces or skips it by name.
 * - `elsewhere`: its upgrade path no longer ends at the newest, or its next update is an older one.
 * - `z-stream`: all releases of its minor version updated to the newest at once; this one no longer does.
 */
export const INVARIANTS = ['lost-way', 'several-next', 'elsewhere', 'z-stream'] as const;
export type Invariant = (typeof INVARIANTS)[number];
