import type { Edit } from '../dump-edits.js';

/**
 * Something in which Flotilla may differ from the recordings; it is left out of both sides
 * before they are compared.
 */
export type Departure = Readonly<{
  name: string;
  because: string;
  /** Absent: in every scenario. */
  scenario?: string;
  /** The label of the only dump it is for; absent: all. */
  dump?: string;
  leaveOut: Edit;
}>;
