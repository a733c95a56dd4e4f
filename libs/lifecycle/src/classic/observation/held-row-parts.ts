import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { PlanFacts } from '#core/view/rows/plan-row';
import { planFacts, type RowPart, rowPart } from '#core/view/rows/row-parts';

/** The parts of one cluster's objects that only rows need, of the objects that have one. */
export class HeldRowParts {
  readonly #parts = new Map<string, RowPart>();
  /** Plans by namespace, then by name. */
  readonly #plans = new Map<string, Map<string, PlanFacts>>();
  /** Keys of plans that have waited for an approval here. */
  readonly #waited = new Set<string>();

  constructor(private readonly globalCatalogNamespace: string) {}

  /** `object`: as the cluster has it, whole. */
  take(kind: string, object: KubernetesObject): void {
    const part = rowPart(kind, object, this.globalCatalogNamespace) ?? this.#approved(kind, object);
    if (part === undefined) this.drop(kind, object);
    else if (part.kind === 'InstallPlan') this.#takePlan(object, part);
    else this.#parts.set(keyOf(kind, object), part);
  }

  drop(kind: string, object: KubernetesObject): void {
    this.#parts.delete(keyOf(kind, object));
    this.#waited.delete(keyOf(kind, object));
    const { namespace = '', name = '' } = object.metadata;
    if (kind !== 'InstallPlan' || this.#plans.get(namespace)?.delete(name) !== true) return;
    if (this.#plans.get(namespace)?.size === 0) this.#plans.delete(namespace);
  }

  of(object: KubernetesObject): RowPart | undefined {
    return this.#parts.get(keyOf(object.kind, object));
  }

  /**
   * The plans of a namespace that are not complete, and those that had waited and are complete, until
   * {@link shown}.
   */
  plansIn(namespace: string): readonly PlanFacts[] {
    return [...(this.#plans.get(namespace)?.values() ?? [])];
  }

  /** The read model has a row of the plan that says it is complete. */
  shown(namespace: string, name: string): void {
    this.drop('InstallPlan', { apiVersion: '', kind: 'InstallPlan', metadata: { namespace, name } });
  }

  /** Returns the approval. It is in the history, even if the plan was complete before a row was written. */
  #approved(kind: string, object: KubernetesObject): PlanFacts | undefined {
    return this.#waited.has(keyOf(kind, object)) ? planFacts(object, this.globalCatalogNamespace) : undefined;
  }

  #takePlan(object: KubernetesObject, part: PlanFacts): void {
    const { namespace = '', name = '' } = object.metadata;
    if (!part.plan.spec.approved) this.#waited.add(keyOf('InstallPlan', object));
    const plans = this.#plans.get(namespace) ?? new Map<string, PlanFacts>();
    this.#plans.set(namespace, plans.set(name, part));
  }
}

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
