import type { Action } from '../actions/action.js';
import type { ObjectRef } from '../api/kubernetes-object.js';
import { deniedRight } from './denied-right.js';

/** The reason of Events about a Namespace or a ClusterExtension with objects that the hub may not read. */
export const READ_REFUSED = 'ReadRefused';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** True if these are the API server's words about a read that it refused for want of a right. */
export function isRefusedRead(said: string): boolean {
  const { verb } = deniedRight(said) ?? {};
  return verb !== undefined && READS.has(verb);
}

/** Returns an Event about objects that the hub has no right to read; none for any other refusal. */
export function readRefusedEvents(about: ObjectRef, said: string): readonly Action[] {
  if (!isRefusedRead(said)) return [];
  return [{ do: 'emitEvent', about, type: 'Warning', reason: READ_REFUSED, message: said }];
}
