import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../../clock/clock.port.js';
import type { Log } from '../../telemetry/log.port.js';
import type { KindRef, KubeClient, ListOptions } from '../client/kube-client.port.js';

/** Called for every difference, whether a watch event or a fresh list showed it. */
type ReflectorHandlers<T extends KubernetesObject> = Readonly<{
  /** Called after each full list, once its differences have been reported. */
  onReplace?: (items: readonly T[]) => void;
  onChange?: (object: T, previous: T | undefined) => void;
  onDelete?: (object: T) => void;
  /** Called if the API server has another history than before. A list follows and reports every object. */
  onOtherHistory?: () => void;
}>;

export type ReflectorOptions<T extends KubernetesObject> = Readonly<{
  client: KubeClient;
  kind: KindRef;
  clock: Clock;
  options?: ListOptions;
  handlers?: ReflectorHandlers<T>;
  log?: Log;
  /**
   * Returns the parts to keep of an object. Default: all but `metadata.managedFields`, often half of its
   * bytes.
   */
  keep?: (object: T) => T;
  /**
   * Returns the content that is kept of an object, without effects. Default: `keep`, which may have effects.
   */
  contentOf?: (object: KubernetesObject) => KubernetesObject;
  /** The object of an event of the watch that is known by its text, as {@link WatchOptions} has it. */
  known?: (line: string) => T | undefined;
  /** Memory that the handlers take for each object, in addition to the object itself. */
  handlerBytes?: (object: T) => number;
  /** The server is asked to end a watch after one to two times this. */
  watchSeconds?: number;
  /**
   * Time without even a bookmark after which a watch counts as dead. Servers send bookmarks about once a
   * minute.
   */
  silenceMs?: number;
  /** How often to check whether a kind that is not served has appeared. */
  absentKindRetryMs?: number;
  random?: () => number;
}>;
