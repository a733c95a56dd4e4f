const PREFIX = /^constraints not satisfiable: /;
/** Messages are bounded where they are written. A longer one stays as it is. */
const LONGEST = 10_000;

type Words = (match: RegExpExecArray) => string;

/** The resolver's words for a Subscription without candidates, and what they mean. */
const CONSTRAINTS: readonly (readonly [constraint: RegExp, words: Words])[] = [
  [
    /no operators found from catalog (\S+) in namespace (\S+) referenced by subscription (\S+?)(?:,|$)/,
    ([, catalog, namespace, subscription]) =>
      `catalog ${namespace}/${catalog} of Subscription ${subscription} is empty or does not exist.`,
  ],
  [
    /no operators found in package (\S+) in the catalog referenced by subscription (\S+?)(?:,|$)/,
    ([, name, subscription]) => `the catalog of Subscription ${subscription} has no package ${name}.`,
  ],
  [
    /no operators found in channel (\S+) of package (\S+) in the catalog referenced by subscription (\S+?)(?:,|$)/,
    ([, channel, name, subscription]) =>
      `package ${name} has no channel ${channel} in the catalog of Subscription ${subscription}.`,
  ],
  [
    /no operators found with name (\S+) in channel (\S+) of package (\S+) in the catalog referenced by subscription (\S+?)(?:,|$)/,
    ([, bundle, channel, name, subscription]) =>
      `channel ${channel} of package ${name} has no bundle ${bundle}, which Subscription ${subscription} requests.`,
  ],
];

/**
 * Returns the end of a sentence about a resolution that failed, for a message of condition ResolutionFailed.
 * Returns undefined for a message with other constraints (spec: classic-resolution.md §6).
 */
export function plainResolution(message: string): string | undefined {
  if (message.length > LONGEST) return undefined;
  const text = message.replace(PREFIX, '').trim();
  for (const [constraint, words] of CONSTRAINTS) {
    const found = constraint.exec(text);
    if (found !== null) return words(found);
  }
  return undefined;
}
