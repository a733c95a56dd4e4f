import { isRecord } from '../json/json-access.js';

/**
 * Returns the value if it is an object, otherwise an empty one. For objects of kinds that have no type here.
 */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** Returns the value if it is a list, otherwise an empty list. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns the value if it is text, otherwise the empty text. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
