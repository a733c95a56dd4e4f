/** The formats that programs read. */
export type DataFormat = 'json' | 'yaml';

/** True if programs read the format. */
export const isData = (format: string): format is DataFormat => format === 'json' || format === 'yaml';

/** A value as JSON with two blanks of indent. */
export const jsonText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
