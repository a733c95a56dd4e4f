import { byCodeUnit } from '#core/canonical/canonical-json';
import type { Json } from './recording.js';

export type Difference = Readonly<{ where: string; recorded: Json | undefined; ours: Json | undefined }>;

/** What differs between two values, each with its path. */
export function differences(recorded: Json | undefined, ours: Json | undefined, where = ''): Difference[] {
  if (recorded === ours) return [];
  if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length === ours.length) {
    return recorded.flatMap((item, index) => differences(item, ours[index], `${where}[${index}]`));
  }
  if (!isMap(recorded) || !isMap(ours)) return sameJson(recorded, ours) ? [] : [{ where, recorded, ours }];
  const keys = [...new Set([...Object.keys(recorded), ...Object.keys(ours)])].toSorted(byCodeUnit);
  return keys.flatMap((key) => differences(recorded[key], ours[key], where === '' ? key : `${where} › ${key}`));
}

const isMap = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sameJson = (a: Json | undefined, b: Json | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);

const shown = (value: Json | undefined): string => {
  const text = value === undefined ? '(nothing)' : JSON.stringify(value);
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
};

/** One paragraph per difference, for the message of a failing test. */
export const tell = (found: readonly Difference[]): string =>
  found.map(({ where, recorded, ours }) => `${where}\n    OLM: ${shown(recorded)}\n    we:  ${shown(ours)}`).join('\n');
