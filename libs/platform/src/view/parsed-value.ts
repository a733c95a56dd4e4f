import type { z } from 'zod';

/** The value, where it has the shape that this release knows; what another one wrote is left out. */
export function parsedValue<T extends z.ZodType>(type: T, text: string | null | undefined): z.output<T>[] {
  if (text === null || text === undefined) return [];
  try {
    const { success, data } = type.safeParse(JSON.parse(text));
    return success ? [data] : [];
  } catch {
    return [];
  }
}
