import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { objectAsApplied } from './drift.js';

/** What a FleetCatalog asks of CatalogSources beside their content, as one text: one roll-out brings each. */
export function askedOfSources({ spec: { catalogSource } }: FleetCatalog): string {
  const { priority = null, displayName = null, secrets = null } = catalogSource ?? {};
  return canonicalHash({ priority, displayName, secrets: secrets === null ? null : [...secrets] });
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Whether a CatalogSource would be another one with the same content, such as with another priority. What the
 * fleet applied last counts: what others have changed since is drift. Without a note of that, or where it is
 * not the fleet's, what is live counts.
 */
export function hasOtherFields(live: CatalogSource, wanted: CatalogSource, isForged = false): boolean {
  const noted = isForged ? undefined : objectAsApplied(live as KubernetesObject);
  const applied = noted?.['spec'] as Fields | undefined;
  const { image: _image, ...asked }: Fields = wanted.spec;
  if (applied === undefined) return !Object.keys(asked).every((key) => sameJson(asked[key], fieldOf(live, key)));
  const { image: _before, ...had } = applied;
  return !sameJson(asked, had);
}

const fieldOf = ({ spec }: CatalogSource, key: string): unknown => (spec as Fields)[key];
