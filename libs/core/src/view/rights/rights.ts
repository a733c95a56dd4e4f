import type { ViewRow } from '../rows/rows.js';
import { type Grant, NO_GRANTS, type Policy } from './console-policy.js';
import { type ConsoleVerb, ROLE_OF_VERB, ROLES, type Role } from './console-verbs.js';
import { namePatterns } from './name-patterns.js';

/** The user who asks, as the sign-in knows them. */
export type Grantee = Readonly<{ name: string; groups: readonly string[] }>;

/**
 * The place that a question is about. `packages`: each of them must be granted. Absent parts are not asked
 * about.
 */
export type Place = Readonly<{ cluster: string; namespace?: string; packages?: readonly string[] }>;

/** The labels of a cluster; of one that is not known none. */
export type LabelsOf = (cluster: string) => Readonly<Record<string, string>>;

/** An answer to "may I", with the grants that allow it, or with why none does. */
export type RightsDecision = Readonly<{ allowed: true; by: readonly string[] } | { allowed: false; because: string }>;

/** The rights of one person, compiled from the grants. */
export type Rights = Readonly<{
  /** True if everything is visible: nothing needs to be cut. */
  unbounded: boolean;
  /** Equal for people with equal rights. */
  key: string;
  sees: (row: ViewRow, labels: LabelsOf) => boolean;
  may: (role: Role, place: Place, labels: LabelsOf) => boolean;
  /** {@link may} with its reason; without a place: whether there is any. */
  decide: (verb: ConsoleVerb, place: Place | undefined, labels: LabelsOf) => RightsDecision;
  /** True if the role is granted in any place. */
  mayAnywhere: (role: Role) => boolean;
  /** The grants in words, one line each. */
  words: readonly string[];
}>;

type CompiledGrant = Readonly<{
  rank: number;
  words: string;
  /**
   * Returns the part of a place that it does not cover. Returns undefined if it covers all but the packages;
   * these are asked one by one.
   */
  misses: (place: Place, labels: LabelsOf) => string | undefined;
  hasPackage: (name: string) => boolean;
}>;

function compile(grant: Grant): CompiledGrant {
  const { role, clusters, labels, namespaces, packages } = grant;
  const [isCluster, isNamespace] = [namePatterns(clusters), namePatterns(namespaces)];
  const wanted = Object.entries(labels);
  return {
    rank: ROLES.indexOf(role),
    words: wordsOf(grant),
    hasPackage: namePatterns(packages),
    misses: ({ cluster, namespace }, labelsOf) => {
      if (!isCluster(cluster)) return `cluster ${cluster}`;
      if (namespace !== undefined && !isNamespace(namespace)) return `namespace ${namespace}`;
      if (wanted.length === 0) return undefined;
      const has = labelsOf(cluster);
      const missing = wanted.find(([key, value]) => has[key] !== value);
      return missing && `a cluster without ${missing.join('=')}, such as ${cluster}`;
    },
  };
}

const isFor = ({ users, groups }: Grant, { name, groups: own }: Grantee): boolean =>
  users.includes(name) || own.some((group) => groups.includes(group));

/** A row lists this many moves at most. */
const MOST_MOVES = 50;
/** No pattern but `*` matches the empty name. */
const ANY_PACKAGE = '';

/** Returns a whole cluster as a place: all namespaces and packages, and all objects outside of them. */
export const wholeCluster = (cluster: string): Place => wholeNamespace(cluster, '');

/** A namespace with all its packages. */
export const wholeNamespace = (cluster: string, namespace: string): Place => ({
  ...{ cluster, namespace, packages: [ANY_PACKAGE] },
});

/**
 * Returns the place of a row. A cluster, and a catalog that all its namespaces see, is visible to users who
 * see anything in the cluster. Any other catalog may hold any packages: it is visible to users who see all of
 * its namespace.
 */
export const placeOf = (row: ViewRow): Place => {
  const { cluster } = row;
  if (row.kind === 'operator') return { cluster, namespace: row.namespace, packages: [row.package] };
  if (row.kind === 'catalog' && row.namespace !== '' && row.global !== true)
    return wholeNamespace(cluster, row.namespace);
  if (row.kind !== 'plan') return { cluster };
  const packages = row.moves.map((move) => move.package);
  return placeOfPlan(cluster, row.namespace, packages);
};

/** A plan that moves these packages. If a row cannot list them, or none is known, it needs a grant of all. */
export function placeOfPlan(cluster: string, namespace: string, packages: readonly string[]): Place {
  const more = packages.length > 0 && packages.length < MOST_MOVES ? [] : [ANY_PACKAGE];
  return { cluster, namespace, packages: [...packages.slice(0, MOST_MOVES), ...more] };
}

function wordsOf({ role, clusters, labels, namespaces, packages }: Grant): string {
  const some = (what: string, patterns: readonly string[]) =>
    patterns.includes('*') ? `all ${what}` : `${what} ${patterns.join(', ')}`;
  const labelled = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const where = labelled.length === 0 ? '' : ` with ${labelled.join(', ')}`;
  return `${role} of ${some('clusters', clusters)}${where}, ${some('namespaces', namespaces)}, ${some('packages', packages)}`;
}

const isUnbounded = ({ clusters, labels, namespaces, packages }: Grant): boolean =>
  [clusters, namespaces, packages].every((patterns) => patterns.includes('*')) && Object.keys(labels).length === 0;

/** The rights of a person. Grants add up: each package of a plan may be granted by another one. */
export function rightsOf({ grants }: Policy, subject: Grantee): Rights {
  const own = grants.filter((grant) => isFor(grant, subject));
  const compiled = own.map(compile);
  const ofRole = new Map(ROLES.map((role, rank) => [role, compiled.filter((grant) => grant.rank >= rank)]));
  const decide = (verb: ConsoleVerb, place: Place | undefined, labels: LabelsOf) =>
    decided(verb, place, labels, compiled, ofRole.get(ROLE_OF_VERB[verb]) ?? []);
  const may = (role: Role, place: Place, labels: LabelsOf) => {
    const near = (ofRole.get(role) ?? []).filter((grant) => grant.misses(place, labels) === undefined);
    return near.length > 0 && (place.packages ?? []).every((name) => near.some(({ hasPackage }) => hasPackage(name)));
  };
  return {
    unbounded: own.some(isUnbounded),
    key: JSON.stringify(own.map(({ users: _users, groups: _groups, ...rest }) => rest)),
    sees: (row, labels) => may('viewer', placeOf(row), labels),
    may,
    decide,
    mayAnywhere: (role) => (ofRole.get(role) ?? []).length > 0,
    words: compiled.map(({ words }) => words),
  };
}

function decided(
  verb: ConsoleVerb,
  place: Place | undefined,
  labels: LabelsOf,
  all: readonly CompiledGrant[],
  able: readonly CompiledGrant[],
): RightsDecision {
  const no = (because: string): RightsDecision => ({ allowed: false, because });
  if (all.length === 0) return no('no grant names this person or one of their groups');
  const role = ROLE_OF_VERB[verb];
  if (able.length === 0) return no(`${verb} needs the role ${role}; your grants: ${listed(all)}`);
  if (place === undefined) return { allowed: true, by: able.map(({ words }) => words) };
  const near = able.filter((grant) => grant.misses(place, labels) === undefined);
  if (near.length === 0) return no(`${nearest(able, place, labels)} is outside your grants: ${listed(able)}`);
  const packages = place.packages ?? [];
  const missing = packages.find((name) => !near.some(({ hasPackage }) => hasPackage(name)));
  if (missing === ANY_PACKAGE)
    return no(`the action moves packages that cannot all be named, so it needs a grant of all packages`);
  if (missing !== undefined) return no(`package ${missing} is outside your grants: ${listed(near)}`);
  const used = packages.length === 0 ? near.slice(0, 1) : near.filter(({ hasPackage }) => packages.some(hasPackage));
  return { allowed: true, by: used.map(({ words }) => words) };
}

/** Names the part of the place that the closest grant does not cover: a namespace rather than the cluster. */
function nearest(grants: readonly CompiledGrant[], place: Place, labels: LabelsOf): string {
  const missed = grants.map((grant) => grant.misses(place, labels) ?? '');
  return missed.find((one) => !one.startsWith('cluster ')) ?? missed[0] ?? '';
}

const MOST_LISTED = 5;
const listed = (grants: readonly CompiledGrant[]): string => {
  const more = grants.length > MOST_LISTED ? `; and ${grants.length - MOST_LISTED} more` : '';
  return `${grants
    .slice(0, MOST_LISTED)
    .map(({ words }) => words)
    .join('; ')}${more}`;
};

const EVERYWHERE = { labels: {}, clusters: ['*'], namespaces: ['*'], packages: ['*'] };
/** Holder of the key of the console. */
export const LOCAL: Grantee = { name: 'local', groups: [] };

/** Rights of the person with the key of this machine. */
export const ALL_RIGHTS: Rights = rightsOf(
  { grants: [{ users: [LOCAL.name], groups: [], role: 'admin', ...EVERYWHERE }] },
  LOCAL,
);

/** Rights of a signed-in user without any grant. */
export const NO_RIGHTS: Rights = rightsOf(NO_GRANTS, LOCAL);
