/** Reasons of reports about one subject in a cluster. */

/** Something in the cluster is in the way of the subject, and its owner decides. */
export const CONFLICT = 'Conflict';
/** `versions` of the FleetOperator does not admit the next version. */
export const VERSION_NOT_ALLOWED = 'VersionNotAllowed';
/** Reason of a report: nothing satisfies the request in the cluster. */
export const RESOLUTION_FAILED = 'ResolutionFailed';
/** Reason of a report: the catalog of the cluster no longer leads to the target. */
export const NOT_OFFERED = 'NotOffered';
/** Changes of others were set back. */
export const DRIFT_CORRECTED = 'DriftCorrected';
/** The cluster returns to its earlier bundle. */
export const RETURNING = 'Returning';
export const RETURNED = 'Returned';
export const RETURN_FAILED = 'ReturnFailed';
