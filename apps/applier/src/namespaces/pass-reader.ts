import type { KubernetesObject, ObjectRef } from '#core/api/kubernetes-object';
import type { KindRef, KubeClient, ListOptions } from '#platform/kube/kube-client.port';

/** Live reads of one round: what several stages want is read once, and never older than the round. */
export class PassReader {
  readonly #lists = new Map<string, Promise<readonly KubernetesObject[]>>();
  readonly #objects = new Map<string, Promise<KubernetesObject | undefined>>();
  #version: Promise<string | undefined> | undefined;

  constructor(private readonly client: KubeClient) {}

  /** Every item with its apiVersion and kind, which lists leave out; empty where the kind is not served. */
  list<T extends KubernetesObject>({ apiVersion, kind }: KindRef, options: ListOptions = {}): Promise<readonly T[]> {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
    const key = [apiVersion, kind, namespace, labelSelector, fieldSelector].join(' ');
    const reading = once(this.#lists, key, async () => {
      const found = await this.client.list({ apiVersion, kind }, options);
      return (found?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
    });
    return reading as Promise<readonly T[]>;
  }

  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    const key = [ref.apiVersion, ref.kind, ref.namespace ?? '', ref.name].join(' ');
    return once(this.#objects, key, () => this.client.get(ref)) as Promise<T | undefined>;
  }

  /** gitVersion of the API server; undefined when it does not tell. */
  serverVersion(): Promise<string | undefined> {
    this.#version ??= this.client.serverVersion().catch(() => undefined);
    return this.#version;
  }
}

function once<T>(memo: Map<string, Promise<T>>, key: string, read: () => Promise<T>): Promise<T> {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const reading = read();
  memo.set(key, reading);
  return reading;
}
