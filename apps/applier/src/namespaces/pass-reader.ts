import type { Action } from '#core/actions/action';
import type { KubernetesObject, ObjectRef } from '#core/api/kubernetes-object';
import type { KindRef, KubeClient, ListOptions } from '#platform/kube/kube-client.port';

/** A pass that waits long for its API server looks anew from time to time. */
const OLDEST_READ_MS = 5_000;

/**
 * Live reads of one pass. What several stages and rounds want is read once, and again only after we wrote something of
 * that kind ourselves. What others change meanwhile wakes the namespace again, and a write on top of it is refused by its
 * resourceVersion; so a pass costs few requests and decides nothing that a later one would not put right.
 */
export class PassReader {
  /** Answers by kind, then by what was asked. */
  readonly #answers = new Map<string, Map<string, Promise<unknown>>>();
  #version: Promise<string | undefined> | undefined;
  #since: number | undefined;

  constructor(private readonly client: KubeClient) {}

  /** Every item with its apiVersion and kind, which lists leave out; empty where the kind is not served. */
  list<T extends KubernetesObject>({ apiVersion, kind }: KindRef, options: ListOptions = {}): Promise<readonly T[]> {
    const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
    const key = ['list', apiVersion, namespace, labelSelector, fieldSelector].join(' ');
    const reading = this.#once(kind, key, async () => {
      const found = await this.client.list({ apiVersion, kind }, options);
      return (found?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
    });
    return reading as Promise<readonly T[]>;
  }

  get<T extends KubernetesObject>(ref: ObjectRef): Promise<T | undefined> {
    const key = ['get', ref.apiVersion, ref.namespace ?? '', ref.name].join(' ');
    return this.#once(ref.kind, key, () => this.client.get(ref)) as Promise<T | undefined>;
  }

  /** gitVersion of the API server; undefined when it does not tell. */
  serverVersion(): Promise<string | undefined> {
    this.#version ??= this.client.serverVersion().catch(() => undefined);
    return this.#version;
  }

  /** A new round begins at `now`. */
  turn(now: Date): void {
    this.#since ??= now.getTime();
    if (now.getTime() - this.#since <= OLDEST_READ_MS) return;
    this.forgetAll();
    this.#since = now.getTime();
  }

  /** These actions were tried. What a deletion takes along is anybody's guess, so nothing is known after one. */
  wrote(actions: readonly Action[]): void {
    for (const action of actions) {
      if (action.do === 'delete') this.forgetAll();
      else if (action.do === 'patch') this.forget(action.ref.kind);
      else if (action.do === 'emitEvent') this.forget('Event');
      else if ('object' in action) this.forget(action.object.kind);
    }
  }

  forget(kind: string): void {
    this.#answers.delete(kind);
  }

  forgetAll(): void {
    this.#answers.clear();
  }

  #once(kind: string, key: string, read: () => Promise<unknown>): Promise<unknown> {
    const ofKind = this.#answers.get(kind) ?? new Map<string, Promise<unknown>>();
    this.#answers.set(kind, ofKind);
    const known = ofKind.get(key);
    if (known !== undefined) return known;
    const reading = read();
    ofKind.set(key, reading);
    reading.catch(() => ofKind.delete(key));
    return reading;
  }
}
