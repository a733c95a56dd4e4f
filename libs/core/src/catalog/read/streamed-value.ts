/** One value of a stream and where it begins. */
export type StreamedValue = Readonly<{ value: unknown; line: number; format: 'json' | 'yaml' }>;
