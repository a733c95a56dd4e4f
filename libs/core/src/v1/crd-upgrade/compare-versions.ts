import type { CrdVersion } from '../../kernel/crd/crd-versions.js';
import { flattenSchema } from './flatten-schema.js';
import { PROPERTY_CHECKS } from './property-checks.js';
import type { Schema } from './schema.js';
import { unhandledChanges } from './unhandled-changes.js';

/** One change of a property that is not allowed. */
type PropertyViolation = Readonly<{ property: string; check: string; message: string }>;

/** A violation, and the text that identifies the same violation between the versions of another CRD. */
type KnownViolation = Readonly<{ violation: PropertyViolation; identity: string }>;

/** The violations in the step from one version's schema to another's, property by property. */
export function compareVersionSchemas(before: CrdVersion, after: CrdVersion): KnownViolation[] {
  const next = flattenSchema(after.schema);
  const violations: KnownViolation[] = [];
  for (const [property, old] of flattenSchema(before.schema)) {
    // A removed property is compared with an empty schema.
    violations.push(...propertyViolations(property, old, next.get(property) ?? {}));
  }
  return violations;
}

function propertyViolations(property: string, before: Schema, after: Schema): KnownViolation[] {
  const violations: KnownViolation[] = [];
  const add = (check: string, message: string | undefined, values = ''): void => {
    if (message === undefined) return;
    violations.push({
      violation: { property, check, message },
      identity: JSON.stringify([property, check, message, values]),
    });
  };
  for (const { name, complaint } of PROPERTY_CHECKS) add(name, complaint(before, after));
  const unhandled = unhandledChanges(before, after);
  add('unhandled', unhandled?.message, unhandled?.text);
  return violations;
}
