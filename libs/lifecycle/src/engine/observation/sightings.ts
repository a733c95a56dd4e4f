import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { isAsNewAs } from '#core/kernel/history/resource-version';
import type { SeenVersions } from '#platform/kube/cache/seen-versions';
import { CACHED_KINDS } from '../caches/cached-kinds.js';
import { DEFINITION } from '../caches/recent-definitions.js';

/** Any version of a kind is as new. */
const NOTHING_SEEN: SeenVersions = Object.fromEntries(
  [...CACHED_KINDS.map(({ kind }) => kind), DEFINITION].map((kind) => [kind, '0']),
);

/** Seen resourceVersions, newest by kind, that concern a subject, by name, and have not been stored yet. */
export class Sightings {
  readonly #seen = new Map<string, Map<string, string>>();
  readonly #begun = new Set<string>();

  /** `replaces`: versions that were stored before say nothing, as the API server went back since. */
  constructor(private readonly replaces = false) {}

  note(subject: string, { kind, metadata }: Pick<KubernetesObject, 'kind' | 'metadata'>): void {
    this.#raise(subject, kind, metadata.resourceVersion ?? '');
  }

  /** Taken versions are forgotten here. */
  take(subject: string): SeenVersions {
    const seen = this.#seen.get(subject);
    this.#seen.delete(subject);
    if (!this.replaces || this.#begun.has(subject)) return Object.fromEntries(seen ?? []);
    this.#begun.add(subject);
    return { ...NOTHING_SEEN, ...Object.fromEntries(seen ?? []) };
  }

  /** Takes versions back that could not be stored. */
  putBack(subject: string, seen: SeenVersions): void {
    this.#begun.delete(subject);
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
