import type { Action } from '../actions/action.js';
import { deniedRight } from './denied-right.js';

/** The reason of Events about a Namespace of which the hub may not read something. */
export const READ_REFUSED = 'ReadRefused';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** An Event about the namespace that could not be read for want of a right; none for any other refusal. */
export function readRefusedEvents(namespace: string, said: string): readonly Action[] {
  const { verb } = deniedRight(said) ?? {};
  if (verb === undefined || !READS.has(verb)) return [];
  const about = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  return [{ do: 'emitEvent', about, type: 'Warning', reason: READ_REFUSED, message: said }];
}
