/** The cluster that had an identity first, and how it was reached. An identity is the UID of kube-system. */
export type IdentityClaim = Readonly<{
  cluster: string;
  /** The address of its API server. */
  server: string;
  /** A fingerprint of the authorities of its API server; empty: those of the machine. */
  authority: string;
}>;

/** A cluster of the kubeconfigs or of the fleet, and the identity that it claims. */
export type IdentityMember = IdentityClaim &
  Readonly<{
    file: string;
    /** True once the cluster has answered. */
    isVerified: boolean;
    /** The identity that it gave. Undefined: not asked yet, or the login may not read it. */
    identity?: string | undefined;
    /** The identity in its kubeconfig or FleetCluster. */
    stated?: string | undefined;
    /** The identity that a person gave to this cluster. */
    accepted?: string | undefined;
  }>;

/** Reasons for refused clusters, and the clusters that another one claims to be: one line each. */
type IdentityVerdict = Readonly<{
  refusals: ReadonlyMap<string, string>;
  disputes: ReadonlyMap<string, string>;
  /** Claims that are new or have another cluster or server. */
  changes: ReadonlyMap<string, IdentityClaim>;
}>;

/**
 * Time for which a cluster keeps its claim while it is missing. After that the claim passes to another
 * cluster.
 */
export const CLAIM_KEPT_MS = 10 * 60_000;

/**
 * Decides between clusters that give the same identity. An API server can give any UID, so the cluster that
 * was first known under it keeps it. Of several that are new at once, this is the one that answers first. A
 * cluster is the same under its name, and after a rename at its address; its authorities may change.
 *
 * @param hasLeft true for a cluster that has been missing for {@link CLAIM_KEPT_MS}
 */
export function settleIdentities(
  members: readonly IdentityMember[],
  claims: ReadonlyMap<string, IdentityClaim>,
  hasLeft: (cluster: string) => boolean,
): IdentityVerdict {
  const refusals = new Map<string, string>();
  const disputes = new Map<string, string>();
  const changes = new Map<string, IdentityClaim>();
  const answered = members.filter(({ identity }) => identity !== undefined);
  for (const [uid = '', candidates] of Map.groupBy(answered, ({ identity }) => identity)) {
    const claim = claims.get(uid);
    const holder = holderOf(uid, candidates, { members, claim, hasLeft });
    const others = candidates.filter(({ cluster }) => cluster !== holder);
    const known = members.find(({ cluster }) => cluster === holder);
    for (const one of others) refusals.set(one.cluster, refusalOf(one, uid, holder, known));
    const [first] = others;
    if (first !== undefined) disputes.set(holder, disputeOf(holder, first, others.length - 1));
    const own = candidates.find(({ cluster }) => cluster === holder);
    if (own !== undefined && !isSameClaim(own, claim)) changes.set(uid, claimOf(own));
  }
  return { refusals, disputes, changes };
}

type Around = Readonly<{
  members: readonly IdentityMember[];
  claim: IdentityClaim | undefined;
  hasLeft: (cluster: string) => boolean;
}>;

/** Returns the name of the cluster that has the identity. It may be missing, or not have answered yet. */
function holderOf(uid: string, candidates: readonly IdentityMember[], { members, claim, hasLeft }: Around): string {
  const accepted = candidates.filter((one) => one.accepted === uid);
  if (accepted.length === 1 && accepted[0] !== undefined) return accepted[0].cluster;
  const mayBe = ({ isVerified, identity = uid }: IdentityMember) => !isVerified || identity === uid;
  if (claim !== undefined) {
    const owner = members.find(({ cluster }) => cluster === claim.cluster);
    if (owner !== undefined && mayBe(owner)) return owner.cluster;
    const renamed = candidates.find(({ server }) => server === claim.server);
    if (owner === undefined && renamed !== undefined) return renamed.cluster;
    if (owner === undefined && !hasLeft(claim.cluster)) return claim.cluster;
  }
  const stated = members.find((one) => one.stated === uid && mayBe(one));
  return (stated ?? candidates[0])?.cluster ?? '';
}

/** `accepted` is in the extension of a context that the command does not write. */
const CHOOSE = ', or choose one with "flotilla clusters accept" (other kubeconfigs: accepted)';

function refusalOf(
  { cluster, file }: IdentityMember,
  uid: string,
  holder: string,
  known: IdentityMember | undefined,
): string {
  const place = known === undefined || known.file === file ? '' : ` (${known.file})`;
  const same = `context "${cluster}" of ${file} leads to the same cluster as "${holder}"${place}`;
  if (known !== undefined) {
    return `${same}, which the hub manages (UID ${uid}): remove one of the two${CHOOSE}`;
  }
  const wait = `${CLAIM_KEPT_MS / 60_000} minutes`;
  return `${same}, which the hub managed (UID ${uid}): used ${wait} after that context was removed${CHOOSE}`;
}

function disputeOf(holder: string, { cluster, file }: IdentityMember, more: number): string {
  const others = more === 0 ? '' : ` and ${more} more`;
  return `context "${cluster}" of ${file}${others} claims to be cluster "${holder}" and is refused: remove the wrong one${CHOOSE}`;
}

const claimOf = ({ cluster, server, authority }: IdentityClaim): IdentityClaim => ({ cluster, server, authority });

const isSameClaim = (a: IdentityClaim, b: IdentityClaim | undefined): boolean =>
  a.cluster === b?.cluster && a.server === b.server && a.authority === b.authority;

/** Returns one line for each cluster of these that gives the identity of another one. */
export function sameIdentities(
  members: readonly Readonly<{ cluster: string; identity?: string | undefined }>[],
): ReadonlyMap<string, string> {
  const known = members.filter(({ identity = '' }) => identity !== '');
  const groups = [...Map.groupBy(known, ({ identity }) => identity)].filter(([, group]) => group.length > 1);
  const lines = groups.flatMap(([uid, group]) =>
    group.map(({ cluster }) => {
      const others = group.filter((one) => one.cluster !== cluster).map((one) => one.cluster);
      return [
        cluster,
        `has the same UID of namespace kube-system as ${others.join(', ')} (${uid}): the hub uses only one of them`,
      ] as const;
    }),
  );
  return new Map(lines);
}
