import type { AssignmentReport } from '#core/kernel/api/fleet/fleet-assignment';

/** The report of a row beyond the parts that follow from the row itself. */
export type RowFinding = Partial<AssignmentReport> & Pick<AssignmentReport, 'state'>;

const MOST_MESSAGE = 1_024;
/** A text as a report has room for it. */
export const reportText = (text: string): string => text.slice(0, MOST_MESSAGE);
