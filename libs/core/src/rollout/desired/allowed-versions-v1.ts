import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { parseMastermindsConstraint, satisfiesConstraint } from '../../kernel/versions/masterminds-constraint.js';
import { parseMastermindsVersion } from '../../kernel/versions/masterminds-version.js';

type Versions = FleetOperator['spec']['versions'];

/** Matches a single version that a constraint can exclude. */
const ONE_VERSION = /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]*)?$/;

/**
 * Returns the version constraint of a ClusterExtension, so that OLM v1 chooses among the allowed versions. It
 * is the range without each single version in `deny`. Returns undefined if any version is allowed.
 */
export function allowedQuery(versions: Versions): string | undefined {
  const { range, deny = [] } = versions ?? {};
  const left = deny.filter((one) => ONE_VERSION.test(one)).map((one) => `!=${one}`);
  if (left.length === 0) return range;
  const groups = range === undefined ? ['*'] : range.split('||').map((group) => group.trim());
  return groups.map((group) => [group, ...left].join(', ')).join(' || ');
}

/**
 * Returns the reason why `versions` of a FleetOperator of OLM v1 does not admit a version. Returns
 * undefined if it does.
 */
export function v1VersionRefusal(versions: Versions, version: string): string | undefined {
  const { range, deny = [] } = versions ?? {};
  if (range === undefined && deny.length === 0) return undefined;
  const parsed = parseMastermindsVersion(version);
  if ('error' in parsed) return `spec.versions cannot be compared with version ${version}: ${parsed.error}`;
  for (const text of [...deny, ...(range === undefined ? [] : [range])]) {
    const one = parseMastermindsConstraint(text);
    if ('error' in one) return `spec.versions has ${JSON.stringify(text)}, but that is not a range: ${one.error}`;
  }
  const holds = (text: string) => {
    const one = parseMastermindsConstraint(text);
    return !('error' in one) && satisfiesConstraint(parsed, one);
  };
  const denied = deny.find(holds);
  if (denied !== undefined) return `spec.versions.deny has ${denied}, and that includes ${version}`;
  if (range !== undefined && !holds(range)) return `spec.versions.range ${range} excludes ${version}`;
  return undefined;
}
