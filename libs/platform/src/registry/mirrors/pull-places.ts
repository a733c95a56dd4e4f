import type { ImageReference } from '../client/image-reference.js';
import { parseImageReference } from '../client/image-reference.js';
import type { MirrorRule } from './mirror-sets.js';

/**
 * Where a reference is to be looked for, in this order. Of all rules the one with the longest matching source
 * counts, whether it has mirrors for this kind of reference or not; the source itself comes last, unless the
 * rule says NeverContactSource. Empty where nothing is left. Source: containers-registries.conf(5) and
 * OpenShift's ImageDigestMirrorSet and ImageTagMirrorSet, of which the first counts for references by digest
 * and the second for all others.
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

/** How many characters of `name` the source stands for; 0 where it does not match. */
function matchedLength(source: string, host: string, name: string): number {
  if (source.startsWith('*.')) return host.endsWith(source.slice(1)) ? host.length : 0;
  return name === source || name.startsWith(`${source}/`) ? source.length : 0;
}

/** The same image in another repository. A tag beside a digest plays no part in what is pulled. */
function placeAt(repository: string, { tag, digest }: ImageReference): ImageReference {
  return parseImageReference(digest === undefined ? `${repository}:${tag ?? 'latest'}` : `${repository}@${digest}`);
}
