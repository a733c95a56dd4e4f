import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs } from '#core/kernel/history/resource-version';
import type { SeenVersions } from '#platform/kube/cache/resource-version';

/** Seen resourceVersions, newest by kind, that concern a subject, by name, and have not been stored yet. */
export class Sightings {
  readonly #seen = new Map<string, Map<string, string>>();

  note(subject: string, { kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): void {
    this.#raise(subject, kind, metadata.resourceVersion ?? '');
  }

  /** Taken versions are forgotten here. */
  take(subject: string): SeenVersions {
    const seen = this.#seen.get(subject);
    this.#seen.delete(subject);
    return Object.fromEntries(seen ?? []);
  }

  /** They could not be stored. */
  putBack(subject: string, seen: SeenVersions): void {
    for (const [kind, version] of Object.entries(seen)) this.#raise(subject, kind, version);
  }

  #raise(subject: string, kind: string, version: string): void {
    const kinds = this.#seen.get(subject) ?? new Map<string, string>();
    const known = kinds.get(kind);
    if (known !== undefined && isAsNewAs(known, version)) return;
    if (!isAsNewAs(version, '0')) return;
    this.#seen.set(subject, kinds.set(kind, version));
  }
}
