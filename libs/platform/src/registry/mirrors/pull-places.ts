import type { ImageReference } from '../client/image-reference.js';
import { parseImageReference } from '../client/image-reference.js';
import type { MirrorRule } from './mirror-sets.js';

/**
 * Returns the places to search for a reference, in order. Of all rules the one with the longest matching
 * source counts, even if it has no mirrors for this kind of reference. The source itself comes last, unless
 * the rule says NeverContactSource. Empty if no place is left.
 *
 * Source: containers-registries.conf(5) and OpenShift's ImageDigestMirrorSet and ImageTagMirrorSet. The first
 * counts for references by digest, the second for all others.
 */
export function pullPlaces(reference: ImageReference, rules: readonly MirrorRule[]): ImageReference[] {
  const name = `${reference.host}/${reference.repository}`;
  const matches = rules
    .map((rule) => ({ rule, length: matchedLength(rule.source, reference.host, name) }))
    .filter(({ length }) => length > 0)
    .toSorted((a, b) => b.rule.source.length - a.rule.source.length);
  const [match] = matches;
  if (match === undefined) return [reference];
  const { digestMirrors, tagMirrors, contactsSource } = match.rule;
  const mirrors = reference.digest === undefined ? tagMirrors : digestMirrors;
  const places = mirrors.map((mirror) => placeAt(mirror + name.slice(match.length), reference));
  const others = places.filter((place) => `${place.host}/${place.repository}` !== name);
  return contactsSource ? [...others, reference] : others;
}

/** Returns the number of characters of `name` that the source stands for; 0 if it does not match. */
function matchedLength(source: string, host: string, name: string): number {
  if (source.startsWith('*.')) return host.endsWith(source.slice(1)) ? host.length : 0;
  return name === source || name.startsWith(`${source}/`) ? source.length : 0;
}

/** Returns the same image in another repository. A tag next to a digest plays no part in the pull. */
function placeAt(repository: string, { tag, digest }: ImageReference): ImageReference {
  return parseImageReference(digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`);
}
