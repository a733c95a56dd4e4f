import type { Edit } from '../dump-edits.js';

/** An allowed difference between Flotilla and the recordings. Both sides lose it before they are compared. */
export type Departure = Readonly<{
  name: string;
  because: string;
  /** Absent: in every scenario. */
  scenario?: string;
  /** The label of the only dump it is for; absent: all. */
  dump?: string;
  leaveOut: Edit;
}>;
