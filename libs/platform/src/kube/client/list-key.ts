import type { KindRef, ListOptions } from './kube-client.port.js';

type KeyedList = Readonly<{
  resource: KindRef;
  options: ListOptions;
  /** Present where only a part of each object is kept. */
  keep?: unknown;
}>;

/**
 * Under what a list is known to the budget. A list of which only parts are kept needs less than
 * one of the whole objects.
 */
export const listKey = ({ resource: { apiVersion, kind }, options, keep }: KeyedList): string => {
  const { namespace, labelSelector, fieldSelector } = options;
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector, keep !== undefined]);
};
