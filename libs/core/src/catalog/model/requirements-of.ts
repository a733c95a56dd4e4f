import type { Property } from './catalog.js';
import { parseOlmConstraint } from './olm-constraint.js';
import { jsonTypeName, stringFields } from './property-value.js';
import { packageRequirement, type Requirement, type RequirementError } from './requirement.js';

/**
 * Returns the requirements among a bundle's properties, in order; other property types are ignored (spec:
 * classic-resolution.md §5).
 */
export function requirementsOf(properties: readonly Property[]): readonly Requirement[] | RequirementError {
  const found: Requirement[] = [];
  for (const property of properties) {
    const requirement = requirementOf(property);
    if (requirement === undefined) continue;
    if ('error' in requirement) return requirement;
    found.push(requirement);
  }
  return found;
}

function requirementOf({ type, value }: Property): Requirement | RequirementError | undefined {
  switch (type) {
    case 'olm.gvk.required': {
      const api = stringFields(value, ['group', 'version', 'kind']);
      return api === undefined ? undecodable(value) : { kind: 'api', api };
    }
    case 'olm.package.required': {
      const fields = stringFields(value, ['packageName', 'versionRange']);
      return fields === undefined ? undecodable(value) : packageRequirement(fields.packageName, fields.versionRange);
    }
    case 'olm.label.required': {
      const fields = stringFields(value, ['label']);
      return fields === undefined ? undecodable(value) : { kind: 'label', label: fields.label };
    }
    case 'olm.constraint':
      return parseOlmConstraint(value);
    default:
      return undefined;
  }
}

const undecodable = (value: unknown): RequirementError => ({
  error: `json: cannot unmarshal ${jsonTypeName(value)} into a requirement`,
});
