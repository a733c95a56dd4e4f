import type { CrdVersion } from '../crd-safety/crd-versions.js';
import { flattenSchema } from './flatten-schema.js';
import { PROPERTY_CHECKS } from './property-checks.js';
import type { Schema } from './schema.js';
import { unhandledChanges } from './unhandled-changes.js';

/** One change of a property that is not allowed. */
export type PropertyViolation = Readonly<{ property: string; check: string; message: string }>;

/** What the checks have against the step from one version's schema to another's, property by property. */
export function compareVersionSchemas(before: CrdVersion, after: CrdVersion): PropertyViolation[] {
  const next = flattenSchema(after.schema);
  const violations: PropertyViolation[] = [];
  for (const [property, old] of flattenSchema(before.schema)) {
    // A property that is gone is compared with a schema that says nothing.
    violations.push(...propertyViolations(property, old, next.get(property) ?? {}));
  }
  return violations;
}

function propertyViolations(property: string, before: Schema, after: Schema): PropertyViolation[] {
  const violations: PropertyViolation[] = [];
  const tell = (check: string, message: string | undefined): void => {
    if (message !== undefined) violations.push({ property, check, message });
  };
  for (const { name, complaint } of PROPERTY_CHECKS) tell(name, complaint(before, after));
  tell('unhandled', unhandledChanges(before, after));
  return violations;
}
