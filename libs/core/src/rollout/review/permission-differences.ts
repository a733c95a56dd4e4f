import type { PolicyRule } from '../../kernel/api/cluster-service-version.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { type AccessRequest, allows, includesRule, requestsOf } from '../../kernel/rbac/authorize.js';
import { difference, type PlanDifference } from './plan-difference.js';

/** `pods`, `deployments.apps`, `secrets NAME`, or a URL. */
function placeOf(request: AccessRequest): string {
  if ('path' in request) return request.path;
  const { group, resource, name } = request;
  return `${resource}${group === '' ? '' : `.${group}`}${name === '' ? '' : ` ${name}`}`;
}

/** Most requests that are compared. */
const MOST_REQUESTS = 100_000;
const TOO_MANY = 'more than can be compared';

/**
 * Returns the verbs, by place, that one list of rules grants and the other does not, as RBAC counts. A right
 * that `*` or a rule without names covers is no other right. Rules without verbs grant nothing. Rules that
 * are too many to compare count as another right.
 */
function beyond(before: readonly PolicyRule[], after: readonly PolicyRule[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const note = (place: string, verb: string) => found.set(place, (found.get(place) ?? new Set()).add(verb));
  const isGiven = (request: AccessRequest) => before.some((one) => allows(one, request));
  let left = MOST_REQUESTS;
  for (const rule of after.filter(({ verbs = [] }) => verbs.length > 0)) {
    if (before.some((one) => includesRule(one, rule))) continue;
    const requests = requestsOf(rule);
    left -= requests.length;
    if (left < 0) note(TOO_MANY, '*');
    else for (const request of requests) if (!isGiven(request)) note(placeOf(request), request.verb);
  }
  return found;
}

/**
 * Returns the changes in the permissions of `who`. Added permissions are a risk: the hub grants them, with
 * rights of its own.
 */
export function permissionDifferences(
  who: string,
  before: readonly PolicyRule[],
  after: readonly PolicyRule[],
): readonly PlanDifference[] {
  const lines = (found: ReadonlyMap<string, ReadonlySet<string>>, sign: '+' | '-') =>
    [...found]
      .toSorted(([a], [b]) => byCodeUnit(a, b))
      .map(([place, verbs]) => `${sign} ${place}: ${[...verbs].toSorted(byCodeUnit).join(', ')}`);
  const [grown, lost] = [lines(beyond(before, after), '+'), lines(beyond(after, before), '-')];
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
