/** One value of a stream and the line of its start. */
export type StreamedValue = Readonly<{ value: unknown; line: number; format: 'json' | 'yaml' }>;

export type StreamOptions = Readonly<{
  /** A YAML key that is given twice is an error, as for the API server that validates fields strictly. */
  uniqueKeys?: boolean;
}>;
