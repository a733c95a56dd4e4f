import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { Json } from './recording.js';

export type Difference = Readonly<{ where: string; recorded: Json | undefined; ours: Json | undefined }>;

/** Returns the differences between two values, each with its path. */
export function differences(recorded: Json | undefined, ours: Json | undefined, where = ''): Difference[] {
  if (recorded === ours) return [];
  if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length === ours.length) {
    return recorded.flatMap((item, index) => differences(item, ours[index], `${where}[${index}]`));
  }
  if (!isMap(recorded) || !isMap(ours)) return says(recorded, ours) ? [] : [{ where, recorded, ours }];
  const named = withRecordedKeys(recorded, ours);
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(named)])].toSorted(byCodeUnit);
  return keys.flatMap((key) => differences(recorded[key], named[key], where === '' ? key : `${where} › ${key}`));
}

const REGISTRY = '<registry>';

/** True if our value equals the recording. It masks hosts of registries, and leaves out long texts. */
function says(recorded: Json | undefined, ours: Json | undefined): boolean {
  if (typeof recorded !== 'string' || typeof ours !== 'string') return sameJson(recorded, ours);
  if (recorded === '<omitted>') return true;
  const bytes = /^<(\d+) bytes>$/.exec(recorded)?.[1];
  if (bytes !== undefined) return Buffer.byteLength(ours) === Number(bytes);
  return recorded.includes(REGISTRY) && hostsMatch(recorded, ours);
}

function hostsMatch(recorded: string, ours: string): boolean {
  const parts = recorded.split(REGISTRY).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[a-z0-9.-]+')}$`).test(ours);
}

/** Our map under the recording's keys, if those mask a host. */
function withRecordedKeys(recorded: Readonly<Record<string, Json>>, ours: Readonly<Record<string, Json>>) {
  const masked = Object.keys(recorded).filter((key) => key.includes(REGISTRY));
  const keyOf = (key: string) => masked.find((mask) => hostsMatch(mask, key)) ?? key;
  return Object.fromEntries(Object.entries(ours).map(([key, item]) => [keyOf(key), item]));
}

const isMap = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sameJson = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

const shown = (value: Json | undefined): string => {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
};

/** One paragraph per difference, for the message of a failing test. */
export const describeDifferences = (found: readonly Difference[]): string =>
  found.map(({ where, recorded, ours }) => `${where}\n    OLM: ${shown(recorded)}\n    we:  ${shown(ours)}`).join('\n');
