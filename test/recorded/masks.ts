import type { InstallPlan } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Json } from './recording.js';

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
const MAIL = /[\w.+-]+@[\w-]+(\.[\w-]+)+/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Names that differ from run to run, with the recordings' words for them. */
export class Masks {
  readonly #plans = new Map<string, string>();
  readonly #addresses = new Set<string>();
  readonly #webhooks = new Map<string, string>();

  /** Plans are numbered over the scenario as they appear, by generation inside a namespace. */
  notePlans(plans: readonly KubernetesObject[]): void {
    for (const { metadata } of plans.toSorted(byAge)) {
      const key = metadata.name ?? '';
      if (!this.#plans.has(key)) this.#plans.set(key, `install-<${this.#plans.size + 1}>`);
    }
  }

  /** Notes webhooks: their names end in a free value. */
  noteWebhooks(configurations: readonly KubernetesObject[]): void {
    for (const { metadata } of configurations) {
      if (metadata.generateName && metadata.name?.startsWith(metadata.generateName)) {
        this.#webhooks.set(metadata.name, `${metadata.generateName}<suffix>`);
      }
    }
  }

  /** Notes the address of the catalog. */
  noteAddress(address: string): void {
    this.#addresses.add(address);
  }

  /** The name that a plan has here, for the name in the recording. */
  planNamed(recorded: string): string | undefined {
    return [...this.#plans].find(([, mask]) => mask === recorded)?.[0];
  }

  text(plain: string): string {
    let text = plain.replace(TIME, '<time>').replace(UUID, '<uid>').replace(MAIL, '<mail>');
    for (const address of this.#addresses) text = text.replaceAll(address, '<catalog-address>');
    for (const [name, mask] of this.#webhooks) text = text.replaceAll(name, mask);
    for (const [name, mask] of this.#plans) text = text.replaceAll(name, mask);
    return text;
  }
}

function byAge(a: KubernetesObject, b: KubernetesObject): number {
  return (
    byCodeUnit(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    generationOf(a) - generationOf(b) ||
    byCodeUnit(a.metadata.namespace ?? '', b.metadata.namespace ?? '')
  );
}

const generationOf = (plan: KubernetesObject): number => (plan as InstallPlan).spec?.generation ?? 0;

/** Texts that are another in every cluster, by their keys. */
const MASKED_KEYS: ReadonlyMap<string, string> = new Map([
  ['caBundle', '<ca-bundle>'],
  ['olmcahash', '<hash>'],
]);

/**
 * Fields that the recordings leave out in every place: in `metadata`, in references, in the manifests of
 * steps.
 */
const LEFT_OUT = new Set(['uid', 'resourceVersion']);

/** A copy without identities and with all texts masked, keys included. */
export function masked(value: unknown, masks: Masks): Json {
  if (typeof value === 'string') return masks.text(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, masks));
  if (typeof value !== 'object' || value === null) return value as Json;
  const entries = Object.entries(value).filter(([key]) => !LEFT_OUT.has(key));
  return Object.fromEntries(
    entries.map(([key, item]) => [masks.text(key), MASKED_KEYS.get(key) ?? masked(item, masks)]),
  );
}
