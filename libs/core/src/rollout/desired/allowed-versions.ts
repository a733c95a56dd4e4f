import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { inRange, parseRange } from '../../kernel/versions/blang-range.js';
import { parseTolerant } from '../../kernel/versions/blang-version.js';

/**
 * Returns the reason why `versions` of a FleetOperator of OLM Classic does not admit a version. Returns
 * undefined if it does. A version that cannot be compared is not admitted.
 */
export function versionRefusal(
  versions: FleetOperator['spec']['versions'],
  version: string | undefined,
): string | undefined {
  const { range, deny = [] } = versions ?? {};
  if (range === undefined && deny.length === 0) return undefined;
  if (version === undefined) return 'spec.versions cannot be compared with a bundle without a known version';
  const parsed = parseTolerant(version);
  if ('error' in parsed) return `spec.versions cannot be compared with version ${version}: ${parsed.error}`;
  for (const text of [...deny, ...(range === undefined ? [] : [range])]) {
    const one = parseRange(text);
    if ('error' in one) return `spec.versions has ${JSON.stringify(text)}, but that is not a range: ${one.error}`;
  }
  const holds = (text: string) => {
    const one = parseRange(text);
    return !('error' in one) && inRange(parsed, one);
  };
  const denied = deny.find(holds);
  if (denied === version) return `spec.versions.deny has ${version}`;
  if (denied !== undefined) return `spec.versions.deny has ${denied}, and that includes ${version}`;
  if (range !== undefined && !holds(range)) return `spec.versions.range ${range} excludes ${version}`;
  return undefined;
}
