import type { KindRef, ListOptions } from './kube-client.port.js';

type KeyedList = Readonly<{
  resource: KindRef;
  options: ListOptions;
  /** Present if only a part of each object is kept. */
  keep?: unknown;
}>;

/** Returns the budget's key of a list. A list with `keep` needs less memory than one of the whole objects. */
export const listKey = ({ resource: { apiVersion, kind }, options, keep }: KeyedList): string => {
  const { namespace, labelSelector, fieldSelector } = options;
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, keep !== undefined]);
};
