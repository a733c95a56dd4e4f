import { goJson } from '../../kernel/json/go-json-text.js';
import { counted } from '../../kernel/text/counted.js';
import { bundleFacts } from '../model/bundle-facts.js';
import type { Catalog, CatalogBundle, Property } from '../model/catalog.js';
import { type Candidate, meets, type Requirement } from '../model/requirement.js';
import { requirementText } from '../model/requirement-text.js';
import { requirementsOf } from '../model/requirements-of.js';
import { type StrictFinding, type StrictWarning, warningsAbout } from './strict-warning.js';

type Unmet = Readonly<{ bundle: CatalogBundle; where: string; requirement: Requirement; bundles: Set<string> }>;

/**
 * Dependencies that no bundle in the catalog satisfies. Each is reported once per package, at the
 * first bundle that has it.
 */
export function unmetDependencies(catalog: Catalog): StrictWarning[] {
  const candidates = catalog.bundles.map(candidateOf);
  const met = new Map<string, boolean>();
  const unmet = new Map<string, Unmet>();
  for (const bundle of catalog.bundles) {
    for (const [index, property] of bundle.properties.entries()) {
      const requirement = readable(property);
      if (requirement === undefined) continue;
      const key = `${property.type} ${goJson(property.value)}`;
      const isMet = met.get(key) ?? candidates.some((candidate) => meets(candidate, requirement));
      met.set(key, isMet);
      if (isMet) continue;
      const ofPackage = JSON.stringify([bundle.package, key]);
      const known = unmet.get(ofPackage);
      const where = `properties[${index}] (${property.type})`;
      if (known) known.bundles.add(bundle.name);
      else unmet.set(ofPackage, { bundle, where, requirement, bundles: new Set([bundle.name]) });
    }
  }
  return [...unmet.values()].flatMap((one) => warningsAbout(one.bundle, [findingOf(one, candidates)]));
}

/**
 * Returns the finding about an unmet requirement. Usually that is a note, since another catalog of the
 * cluster may have the bundle. It is a warning if this catalog has every part of an `all`, each in a bundle
 * of its own. Then its author took it for a list of dependencies.
 */
function findingOf({ where, requirement, bundles }: Unmet, candidates: readonly Candidate[]): StrictFinding {
  const others = bundles.size - 1;
  const also = others === 0 ? '' : `; the same in ${counted(others, 'more bundle')} of the package`;
  const parts = requirement.kind === 'all' && requirement.of.length > 1 ? requirement.of : [];
  if (parts.length > 0 && parts.every((part) => candidates.some((candidate) => meets(candidate, part)))) {
    return {
      message: `${where}: no bundle in this catalog meets all parts of it, and OLM tests it on one bundle${also}`,
      advice: 'for several dependencies write several olm.constraint properties, one for each',
    };
  }
  return {
    severity: 'note',
    message: `${where}: no bundle in this catalog for "${requirementText(requirement)}"${also}`,
    advice: 'fine if another catalog of the cluster has one; otherwise this bundle cannot be installed',
  };
}

/**
 * Returns the requirement of a property. A dependency that cannot be read is reported by the rules for
 * properties.
 */
function readable(property: Property): Requirement | undefined {
  const requirements = requirementsOf([property]);
  return 'error' in requirements ? undefined : requirements[0];
}

function candidateOf(bundle: CatalogBundle): Candidate {
  const facts = bundleFacts(bundle.properties);
  return { package: bundle.package, version: facts.packages[0]?.version, properties: bundle.properties, facts };
}
