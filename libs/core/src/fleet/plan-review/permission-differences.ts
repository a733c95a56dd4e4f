import type { PolicyRule } from '../../kernel/api/cluster-service-version.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { difference, type PlanDifference } from './plan-difference.js';

type Rights = ReadonlyMap<string, ReadonlySet<string>>;

/** Verbs by what they are for: `pods`, `deployments.apps`, `secrets NAME`, or a URL. */
function rightsOf(rules: readonly PolicyRule[]): Rights {
  const rights = new Map<string, Set<string>>();
  for (const { verbs = [], ...rule } of rules) {
    for (const place of placesOf(rule)) {
      const known = rights.get(place) ?? new Set();
      for (const verb of verbs) known.add(verb);
      rights.set(place, known);
    }
  }
  return rights;
}

function placesOf({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string[] {
  const named = resources.flatMap((resource) =>
    apiGroups.map((group) => (group === '' ? resource : `${resource}.${group}`)),
  );
  const places =
    resourceNames.length === 0 ? named : named.flatMap((one) => resourceNames.map((name) => `${one} ${name}`));
  return [...places, ...nonResourceURLs];
}

/** Verbs at a place that are not there already, under it or under `*`. */
const beyond = (rights: Rights, place: string, verbs: ReadonlySet<string>): readonly string[] => {
  const known = rights.get(place) ?? new Set();
  return known.has('*') ? [] : [...verbs].filter((verb) => !known.has(verb)).toSorted(byCodeUnit);
};

/**
 * How the permissions of `who` change. What is added is a risk: it is the hub that grants it, with rights of
 * its own.
 */
export function permissionDifferences(
  who: string,
  before: readonly PolicyRule[],
  after: readonly PolicyRule[],
): readonly PlanDifference[] {
  const [had, has] = [rightsOf(before), rightsOf(after)];
  const lines = (from: Rights, to: Rights, sign: '+' | '-') =>
    [...to]
      .toSorted(([a], [b]) => byCodeUnit(a, b))
      .flatMap(([place, verbs]) => {
        const news = beyond(from, place, verbs);
        return news.length === 0 ? [] : [`${sign} ${place}: ${news.join(', ')}`];
      });
  const [grown, lost] = [lines(had, has, '+'), lines(has, had, '-')];
  return [
    ...(grown.length === 0
      ? []
      : [difference('permissions', '+', who, `gets ${counted(grown.length)}`, { risk: true, lines: grown })]),
    ...(lost.length === 0
      ? []
      : [difference('permissions', '-', who, `loses ${counted(lost.length)}`, { lines: lost })]),
  ];
}

const counted = (count: number): string => (count === 1 ? 'one permission' : `${count} permissions`);
