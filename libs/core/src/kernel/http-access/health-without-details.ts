type Checks = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Returns the answer of a health check that any client may read: the status of each check, without details
 * and names of clusters.
 */
export function healthWithoutDetails(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(answer).map(([key, value]) => [key, isChecks(value) ? statusesOf(value) : value]),
  );
}

const isChecks = (value: unknown): value is Checks => typeof value === 'object' && value !== null;
const statusesOf = (checks: Checks): Checks =>
  Object.fromEntries(Object.entries(checks).map(([name, { status }]) => [name, { status }]));
