import type { PlanFacts } from '#core/fleet/view/plan-row';
import { type RowPart, rowPart } from '#core/fleet/view/row-parts';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';

/** The parts of one cluster's objects that only rows need, of the objects that have one. */
export class HeldRowParts {
  readonly #parts = new Map<string, RowPart>();
  /** By namespace, then by name. */
  readonly #plans = new Map<string, Map<string, PlanFacts>>();

  constructor(private readonly globalCatalogNamespace: string) {}

  /** `object`: as the cluster has it, whole. */
  take(kind: string, object: KubernetesObject): void {
    const part = rowPart(kind, object, this.globalCatalogNamespace);
    if (part === undefined) this.drop(kind, object);
    else if (part.kind === 'InstallPlan') this.#takePlan(object, part);
    else this.#parts.set(keyOf(kind, object), part);
  }

  drop(kind: string, object: KubernetesObject): void {
    this.#parts.delete(keyOf(kind, object));
    const { namespace = '', name = '' } = object.metadata;
    if (kind !== 'InstallPlan' || this.#plans.get(namespace)?.delete(name) !== true) return;
    if (this.#plans.get(namespace)?.size === 0) this.#plans.delete(namespace);
  }

  of(object: KubernetesObject): RowPart | undefined {
    return this.#parts.get(keyOf(object.kind, object));
  }

  /** The plans of a namespace that are not complete. */
  plansIn(namespace: string): readonly PlanFacts[] {
    return [...(this.#plans.get(namespace)?.values() ?? [])];
  }

  #takePlan({ metadata: { namespace = '', name = '' } }: KubernetesObject, part: PlanFacts): void {
    const plans = this.#plans.get(namespace) ?? new Map<string, PlanFacts>();
    this.#plans.set(namespace, plans.set(name, part));
  }
}

const keyOf = (kind: string, { metadata }: KubernetesObject): string =>
  `${kind}/${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
