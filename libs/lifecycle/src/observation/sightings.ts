import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs, type SeenVersions } from '#platform/kube/resource-version';

/** Seen resourceVersions, newest by kind, that concern a namespace and have not been stored yet. */
export class Sightings {
  readonly #seen = new Map<string, Map<string, string>>();

  note(namespace: string, { kind, metadata }: KubernetesObject): void {
    this.#raise(namespace, kind, metadata.resourceVersion ?? '');
  }

  /** Taken versions are forgotten here. */
  take(namespace: string): SeenVersions {
    const seen = this.#seen.get(namespace);
    this.#seen.delete(namespace);
    return Object.fromEntries(seen ?? []);
  }

  /** They could not be stored. */
  putBack(namespace: string, seen: SeenVersions): void {
    for (const [kind, version] of Object.entries(seen)) this.#raise(namespace, kind, version);
  }

  #raise(namespace: string, kind: string, version: string): void {
    const kinds = this.#seen.get(namespace) ?? new Map<string, string>();
    const known = kinds.get(kind);
    if (known !== undefined && isAsNewAs(known, version)) return;
    if (!isAsNewAs(version, '0')) return;
    this.#seen.set(namespace, kinds.set(kind, version));
  }
}
