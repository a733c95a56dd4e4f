/** Why nothing of a FleetOperator or FleetCatalog is rolled out: a reason of a condition, and what to do. */
export type SubjectProblem = Readonly<{ reason: string; message: string }>;
