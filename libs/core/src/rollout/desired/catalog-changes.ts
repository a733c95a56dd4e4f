import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { FleetCatalog } from '../../kernel/api/fleet/fleet-catalog.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { objectAsApplied } from './drift.js';

/**
 * Returns a hash of the fields that a FleetCatalog sets in CatalogSources in addition to their content. One
 * rollout delivers each value.
 */
export function askedOfSources({ spec: { catalogSource } }: FleetCatalog): string {
  const { priority = null, displayName = null, secrets = null } = catalogSource ?? {};
  return canonicalHash({ priority, displayName, secrets: secrets === null ? null : [...secrets] });
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * True if a CatalogSource would change other fields than its content, such as its priority. The last state
 * that the fleet applied counts: later changes by others are drift. If no note of that state exists, or the
 * note is not the fleet's, the live state counts.
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
