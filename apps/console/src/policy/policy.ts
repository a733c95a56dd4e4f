import { z } from 'zod';
import type { ViewRow } from '#core/fleet/view/rows';

export const ROLES = ['viewer', 'approver', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const Patterns = z.array(z.string().min(1).max(253)).min(1).max(200);

const GrantModel = z.strictObject({
  users: z.array(z.string().max(253)).max(1_000).default([]),
  groups: z.array(z.string().max(253)).max(1_000).default([]),
  role: z.enum(ROLES),
  clusters: Patterns,
  labels: z.record(z.string(), z.string()).default({}),
  namespaces: Patterns.default(['*']),
  packages: Patterns.default(['*']),
});

/** The grants of a policy file; nothing is allowed that is not granted. */
export const PolicyModel = z.strictObject({ grants: z.array(GrantModel).max(10_000) });
export type Policy = z.infer<typeof PolicyModel>;
export type Grant = z.infer<typeof GrantModel>;

/** Who asks, as the sign-in knows them. */
export type Grantee = Readonly<{ name: string; groups: readonly string[] }>;

/** What is asked about; `packages`: all of them must be granted. Absent parts are not asked about. */
export type Place = Readonly<{ cluster: string; namespace?: string; packages?: readonly string[] }>;

type LabelsOf = (cluster: string) => Readonly<Record<string, string>>;

/** What one person may do, compiled from the grants. */
export type Rights = Readonly<{
  /** Everything is allowed: nothing needs to be cut. */
  unbounded: boolean;
  /** Equal for people with equal rights. */
  key: string;
  sees: (row: ViewRow, labels: LabelsOf) => boolean;
  may: (role: Role, place: Place, labels: LabelsOf) => boolean;
  /** Whether there is any place where the role is granted. */
  mayAnywhere: (role: Role) => boolean;
  /** In words, one line a grant. */
  words: readonly string[];
}>;

const matcher = (patterns: readonly string[]): ((text: string) => boolean) => {
  if (patterns.includes('*')) return () => true;
  const exact = new Set(patterns.filter((pattern) => !pattern.includes('*')));
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'));
  return (text) => exact.has(text) || globs.some((parts) => isGlobOf(parts, text));
};

/** Without a regular expression: a pattern costs no more than its length. */
function isGlobOf(parts: readonly string[], text: string): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop() ?? '';
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}

type CompiledGrant = Readonly<{ rank: number; covers: (place: Place, labels: LabelsOf) => boolean }>;

function compile({ role, clusters, labels, namespaces, packages }: Grant): CompiledGrant {
  const [cluster, namespace, bundle] = [matcher(clusters), matcher(namespaces), matcher(packages)];
  const wanted = Object.entries(labels);
  return {
    rank: ROLES.indexOf(role),
    covers: (place, labelsOf) => {
      if (!cluster(place.cluster)) return false;
      if (place.namespace !== undefined && !namespace(place.namespace)) return false;
      if (place.packages !== undefined && !place.packages.every(bundle)) return false;
      if (wanted.length === 0) return true;
      const has = labelsOf(place.cluster);
      return wanted.every(([key, value]) => has[key] === value);
    },
  };
}

const isFor = ({ users, groups }: Grant, subject: Grantee): boolean =>
  users.includes(subject.name) || subject.groups.some((group) => groups.includes(group));

/** What a row is about. Catalogs and clusters are seen by who sees anything in the cluster. */
export const placeOf = (row: ViewRow): Place => {
  const { cluster } = row;
  if (row.kind === 'operator') return { cluster, namespace: row.namespace, packages: [row.package] };
  if (row.kind === 'plan')
    return { cluster, namespace: row.namespace, packages: row.moves.map((move) => move.package) };
  return { cluster };
};

const words = ({ role, clusters, labels, namespaces, packages }: Grant): string => {
  const some = (what: string, patterns: readonly string[]) =>
    patterns.includes('*') ? `all ${what}` : `${what} ${patterns.join(', ')}`;
  const labelled = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const where = labelled.length === 0 ? '' : ` with ${labelled.join(', ')}`;
  return `${role} of ${some('clusters', clusters)}${where}, ${some('namespaces', namespaces)}, ${some('packages', packages)}`;
};

const isUnbounded = ({ clusters, labels, namespaces, packages }: Grant): boolean =>
  [clusters, namespaces, packages].every((patterns) => patterns.includes('*')) && Object.keys(labels).length === 0;

/** The rights of a person: grants add up, but a plan needs one grant for all its packages. */
export function rightsOf({ grants }: Policy, subject: Grantee): Rights {
  const own = grants.filter((grant) => isFor(grant, subject));
  const compiled = own.map(compile);
  const may = (role: Role, place: Place, labels: LabelsOf) => {
    const rank = ROLES.indexOf(role);
    return compiled.some((grant) => grant.rank >= rank && grant.covers(place, labels));
  };
  return {
    unbounded: own.some(isUnbounded),
    key: JSON.stringify(own.map(({ users: _users, groups: _groups, ...rest }) => rest)),
    sees: (row, labels) => may('viewer', placeOf(row), labels),
    may,
    mayAnywhere: (role) => compiled.some(({ rank }) => rank >= ROLES.indexOf(role)),
    words: own.map(words),
  };
}

/** Of the person who has the key of this machine. */
export const ALL_RIGHTS: Rights = rightsOf(
  {
    grants: [
      {
        users: ['local'],
        groups: [],
        role: 'admin',
        clusters: ['*'],
        labels: {},
        namespaces: ['*'],
        packages: ['*'],
      },
    ],
  },
  { name: 'local', groups: [] },
);
