import { z } from 'zod';
import { MOST_REPORTED, ReceiverReport } from './receiver-report.js';
import { MOST_SOURCES, SourceReport } from './source-report.js';

const Count = z.int().min(0);

/** The state of one queue, as a service counts it. */
export const QueueCounts = z.strictObject({
  queue: z.string().max(60),
  waiting: Count,
  active: Count,
  delayed: Count,
  failed: Count,
  /** Seconds that the oldest waiting job has waited. */
  oldestSeconds: z.number().min(0),
});

/**
 * The state that a service of the hub reports about itself, every five seconds. If it is older than 15 s, the
 * service does not answer.
 */
export const HubRow = z.strictObject({
  /** `catalog-poller`, `resolver-worker`, `applier`, `notifier`, `console`. */
  service: z.string().max(60),
  /** The process, unique in the hub. */
  instance: z.string().max(200),
  version: z.string().max(60),
  updatedAt: z.string().max(40),
  checks: z.array(z.strictObject({ name: z.string().max(60), ok: z.boolean(), message: z.string().max(200) })).max(40),
  queues: z.array(QueueCounts).max(20),
  /** The clusters with the slowest requests of the applier, in milliseconds. */
  slowest: z.array(z.strictObject({ cluster: z.string().max(1_000), milliseconds: z.number().min(0) })).max(10),
  /** FleetClusterSources that this process keeps in step. Absent: it is no poller of a fleet. */
  sources: z.array(SourceReport).max(MOST_SOURCES).optional(),
  /** Receivers of FleetNotifications. Absent: it is no notifier. */
  receivers: z.array(ReceiverReport).max(MOST_REPORTED).optional(),
});

export type QueueCounts = z.infer<typeof QueueCounts>;
export type HubRow = z.infer<typeof HubRow>;
