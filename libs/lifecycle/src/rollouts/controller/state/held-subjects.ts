import { allowedNamespaces } from '#core/cluster/membership/unreadable-cluster';
import type { FleetCatalog } from '#core/kernel/api/fleet/fleet-catalog';
import { fleetKey } from '#core/kernel/api/fleet/fleet-kinds';
import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { specOf, type UnreadableObject, unreadableKey } from '#core/kernel/api/fleet/unreadable-object';
import type { HubCluster } from '#core/rollout/controller/facts/hub-cluster';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import { isFinal, type RolloutPhase } from '#core/rollout/controller/step/phases';
import { ageOf } from '#core/rollout/placement/acting-operators';
import { heldByUnreadable, holdOf } from '#core/rollout/placement/held-subject';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import type { FleetState } from './fleet-state.js';

/** Package and namespace in the clusters, as far as an unreadable FleetOperator says them. */
export function placeIn(unreadable: UnreadableObject): { package: string; namespace: string } | undefined {
  const { package: name, namespace } = specOf(unreadable);
  if (typeof namespace !== 'string') return undefined;
  return { package: typeof name === 'string' ? name : '', namespace };
}

const hasEnded = ({ object }: UnreadableObject): boolean => {
  const { phase } = (object['status'] ?? {}) as Readonly<{ phase?: unknown }>;
  return typeof phase === 'string' && isFinal(phase as RolloutPhase);
};

/** The subject of a FleetRollout that cannot be read and has not ended. */
function subjectIn(unreadable: UnreadableObject): string | undefined {
  if (unreadable.kind !== 'FleetRollout' || hasEnded(unreadable)) return undefined;
  const { kind, name } = (specOf(unreadable)['subject'] ?? {}) as Readonly<{ kind?: unknown; name?: unknown }>;
  return typeof kind === 'string' && typeof name === 'string'
    ? `${kind}/${unreadable.object.metadata.namespace}/${name}`
    : undefined;
}

/** Subjects with rollouts that rest because of objects that cannot be read (decision 0528). */
export class HeldSubjects {
  readonly #holds = new Map<string, SubjectProblem>();

  /** Held subjects without a row in a cluster with unreadable labels, and with no other reason to rest. */
  readonly #withoutRow = new Set<string>();

  readonly #operators: readonly FleetOperator[];

  /**
   * `unread`: the FleetClusters with labels that cannot be read. Rollouts with rows there rest. All others
   * that may concern the cluster stop and go back on a decision, and nothing else.
   */
  constructor(
    { operators, catalogs, assignments, unreadable: all }: FleetState,
    private readonly unreadable: ReadonlyMap<string, UnreadableObject>,
    private readonly unread: ReadonlyMap<string, UnreadableObject>,
  ) {
    this.#operators = operators;
    const catalogsByKey = new Map(catalogs.map((one) => [fleetKey(one), one]));
    for (const one of all) this.#addOwn(one);
    for (const { metadata, spec } of assignments) {
      const cluster = unread.get(metadata.name);
      if (cluster === undefined) continue;
      for (const { subject } of spec.rows ?? [])
        if (!this.#holds.has(subject)) this.#holds.set(subject, heldByUnreadable(cluster));
    }
    for (const subject of [...operators, ...catalogs]) this.#add(subject, catalogsByKey);
  }

  /** Returns the reason why the rollouts of a subject rest. Undefined if they continue. */
  holdOf(subject: string): SubjectProblem | undefined {
    return this.#holds.get(subject);
  }

  /** True if rollouts of a held subject carry out the decisions that stop them or take them back. */
  mayStop(subject: string): boolean {
    return this.#withoutRow.has(subject);
  }

  /** True if nothing may be changed about a subject: neither its rollouts nor its orders. */
  readonly isHeld = (subject: string): boolean => this.#holds.has(subject) || this.unreadable.has(subject);

  /** True if an older FleetOperator for the same package has orders there and cannot be read. */
  hasOlderIn({ assignment }: HubCluster, { key, place }: FleetSubject): boolean {
    if (place === undefined || this.unreadable.size === 0) return false;
    const own = this.#operators.find((one) => fleetKey(one) === key);
    return (assignment?.spec.rows ?? []).some(({ subject }) => {
      const other = subject === key ? undefined : this.unreadable.get(subject);
      const there = other && placeIn(other);
      const isSame = there?.namespace === place.namespace && there.package === place.package;
      return isSame && own !== undefined && ageOf(other?.object.metadata ?? {}) < ageOf(own.metadata);
    });
  }

  #addOwn(one: UnreadableObject): void {
    const isSubject = one.kind === 'FleetOperator' || one.kind === 'FleetCatalog';
    const subject = isSubject ? unreadableKey(one) : subjectIn(one);
    if (subject !== undefined) this.#holds.set(subject, heldByUnreadable(one));
  }

  #add(subject: FleetOperator | FleetCatalog, catalogs: ReadonlyMap<string, FleetCatalog>): void {
    const key = fleetKey(subject);
    const named = subject.kind === 'FleetOperator' ? subject.spec.catalog.fleetCatalog : undefined;
    const catalog = catalogs.get(`FleetCatalog/${subject.metadata.namespace}/${named}`);
    const own = this.#holds.get(key) ?? holdOf(subject, catalog, this.unreadable);
    const hold = own ?? this.#holdOfTarget(subject);
    if (hold === undefined) return;
    this.#holds.set(key, hold);
    if (own === undefined) this.#withoutRow.add(key);
  }

  /** Returns the hold of a subject that may select a cluster with unreadable labels. */
  #holdOfTarget(subject: FleetOperator | FleetCatalog): SubjectProblem | undefined {
    if (subject.kind === 'FleetCatalog' && subject.spec.promotion !== 'Staged') return undefined;
    const { namespace } = subject.metadata;
    const found = [...this.unread.values()].find((one) => allowedNamespaces(one)?.includes(namespace) !== false);
    return found && heldByUnreadable(found);
  }
}
