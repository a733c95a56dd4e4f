import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { OWN_BYTES } from '#core/kernel/read-budget/held-bytes';

/**
 * An object that shares all but its resourceVersion and uid with equal objects of other clusters. A fleet
 * holds hundreds for each cluster: the parts of the object are put together when it is read.
 */
export class SharedObject implements KubernetesObject {
  [field: string]: unknown;
  /** The shared parts; they must not be changed. */
  readonly #shared: KubernetesObject;
  /** The resourceVersion, as a number if it is one: it takes no memory of its own. */
  readonly #version: number | string | undefined;
  readonly #uid: string | undefined;
  /** Memory that this object takes alone: bytes. */
  readonly #bytes: number;

  constructor(
    shared: KubernetesObject,
    { resourceVersion, uid }: Pick<KubernetesObject['metadata'], 'resourceVersion' | 'uid'>,
    bytes: number,
  ) {
    this.#shared = shared;
    const number = Number(resourceVersion);
    this.#version = Number.isSafeInteger(number) && String(number) === resourceVersion ? number : resourceVersion;
    this.#uid = uid;
    this.#bytes = bytes;
  }

  get apiVersion(): string {
    return this.#shared.apiVersion;
  }

  get kind(): string {
    return this.#shared.kind;
  }

  get metadata(): KubernetesObject['metadata'] {
    const { name, namespace, labels, annotations } = this.#shared.metadata;
    const resourceVersion = this.#version === undefined ? undefined : String(this.#version);
    return { name, namespace, labels, annotations, uid: this.#uid, resourceVersion };
  }

  get [OWN_BYTES](): number {
    return this.#bytes;
  }

  /** The whole object. Its parts are shared: no one may change them. */
  open(): KubernetesObject {
    return { ...this.#shared, metadata: this.metadata };
  }
}
