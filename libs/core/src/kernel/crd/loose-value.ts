import { isRecord } from '../json/json-access.js';

/**
 * The value where it is an object, else an empty one: the parsed edge of objects whose kind has no type here.
 */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {});

/** The value where it is a list, else an empty one. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value where it is text, else the empty text. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
