/**
 * The reason why no content of a FleetOperator or FleetCatalog is rolled out: a reason of a condition,
 * and advice.
 */
export type SubjectProblem = Readonly<{ reason: string; message: string }>;
