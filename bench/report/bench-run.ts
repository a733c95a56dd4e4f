import { z } from 'zod';

/** One run of one bench, as the report keeps it: the whole output of the program, and its circumstances. */
export const BenchRun = z.object({
  /** Name of the program in `bench`, without its ending. */
  bench: z.string(),
  /** As a person types it; paths of originals are left out. */
  command: z.string(),
  /** RFC 3339. */
  startedAt: z.string(),
  /** Null if the time was not taken. */
  seconds: z.number().nullable(),
  /** Load average of a minute, at the start and at the end. */
  load: z.tuple([z.number(), z.number()]),
  exit: z.number(),
  /** Markdown: the machine, then tables. */
  output: z.string(),
  /** Last lines of standard error, if it failed. */
  error: z.string(),
  /** Further facts that a reader must know of this run. */
  note: z.string().optional(),
});
export type BenchRun = z.infer<typeof BenchRun>;
