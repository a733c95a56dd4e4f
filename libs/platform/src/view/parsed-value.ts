import type { z } from 'zod';

/**
 * Returns the value, if it has the shape that this release knows. Leaves out the values of another release.
 */
export function parsedValue<T extends z.ZodType>(type: T, text: string | null | undefined): z.output<T>[] {
  if (text === null || text === undefined) return [];
  try {
    const { success, data } = type.safeParse(JSON.parse(text));
    return success ? [data] : [];
  } catch {
    return [];
  }
}
