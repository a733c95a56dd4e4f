import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { APPLIED_CODE_ANNOTATION, notedParts, withAppliedNote } from '#core/rollout/desired/drift';
import type { HubKey } from '#platform/keys/hub-key';

/**
 * Notes of the fields that the fleet applied, authenticated by the key of the hub (why: fleet-operators.md
 * "The note has a code of the hub").
 */
export class AppliedNotes {
  readonly #key: HubKey | undefined;

  /** A key that ends with the process would not recognise the notes of an earlier run. */
  constructor(key: HubKey | undefined) {
    this.#key = key?.identities.length === 0 ? undefined : key;
  }

  /** Returns the object to apply in the cluster, with its note. */
  noted<T extends KubernetesObject>(cluster: string, object: T): T {
    const noted = withAppliedNote(object);
    if (this.#key === undefined) return noted;
    const code = this.#key.codeOf(notedParts(cluster, noted));
    const annotations = { ...noted.metadata.annotations, [APPLIED_CODE_ANNOTATION]: code };
    return { ...noted, metadata: { ...noted.metadata, annotations } };
  }

  /**
   * True if the fields that the fleet applied to the object are not known: its note is gone, or is not of
   * this hub.
   */
  isForged(cluster: string, live: KubernetesObject): boolean {
    if (this.#key === undefined) return false;
    const code = live.metadata.annotations?.[APPLIED_CODE_ANNOTATION] ?? '';
    return !this.#key.verifies(code, notedParts(cluster, live));
  }
}

/** Notes without a code: any note is accepted. */
export const UNSIGNED = new AppliedNotes(undefined);
