import { bundleFacts } from '../resolution/bundle-facts.js';
import { type Candidate, meets, type Requirement } from '../resolution/requirement.js';
import { requirementText } from '../resolution/requirement-text.js';
import { requirementsOf } from '../resolution/requirements-of.js';
import type { Catalog, CatalogBundle, Property } from './catalog.js';
import { goJson } from './go-json-text.js';
import { type StrictWarning, warningsAbout } from './strict-warning.js';

type Unmet = { bundle: CatalogBundle; where: string; text: string; bundles: Set<string> };

/**
 * Dependencies that nothing in the catalog provides, as notes: another catalog of the cluster may. Each is told once a
 * package, at the first bundle that has it.
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
      else unmet.set(ofPackage, { bundle, where, text: requirementText(requirement), bundles: new Set([bundle.name]) });
    }
  }
  return [...unmet.values()].flatMap(note);
}

function note({ bundle, where, text, bundles }: Unmet): StrictWarning[] {
  const others = bundles.size - 1;
  const also = others === 0 ? '' : `; the same in ${others} more ${others === 1 ? 'bundle' : 'bundles'} of the package`;
  return warningsAbout(bundle, [
    {
      severity: 'note',
      message: `${where}: no bundle in this catalog for "${text}"${also}`,
      advice: 'fine if another catalog of the cluster has one; otherwise this bundle cannot be installed',
    },
  ]);
}

/** One that cannot be read is told as such by the rules for properties. */
function readable(property: Property): Requirement | undefined {
  const requirements = requirementsOf([property]);
  return 'error' in requirements ? undefined : requirements[0];
}

function candidateOf(bundle: CatalogBundle): Candidate {
  const facts = bundleFacts(bundle.properties);
  return { package: bundle.package, version: facts.packages[0]?.version, properties: bundle.properties, facts };
}
