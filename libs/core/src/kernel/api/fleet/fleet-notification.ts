import { z } from 'zod';
import {
  ClusterMetadata,
  duration,
  FLEET_API,
  NamespaceName,
  namespaceList,
  Selector,
  Subdomain,
  Text,
  Time,
  withRules,
} from './fleet-fields.js';
import { Conditions } from './fleet-status-fields.js';

/** Everything that a FleetNotification can report, with its severity. */
export const EVENT_SEVERITY = {
  WaitsForApproval: 'Warning',
  Halted: 'Error',
  RolledBack: 'Error',
  Completed: 'Info',
  GateRed: 'Error',
  WindowHolds: 'Info',
  ClusterUnreachable: 'Warning',
  LoginEnds: 'Warning',
  CatalogBroken: 'Error',
  Drift: 'Warning',
} as const;
export type FleetEventName = keyof typeof EVENT_SEVERITY;

/** Severities from the lowest. */
export const SEVERITIES = ['Info', 'Warning', 'Error'] as const;
export type Severity = (typeof SEVERITIES)[number];

const EVENT_NAMES = Object.keys(EVENT_SEVERITY) as [FleetEventName, ...FleetEventName[]];
const SUBJECT_KINDS = ['FleetOperator', 'FleetCatalog', 'FleetCluster'] as const;
const RECEIVER_TYPES = ['Webhook', 'Slack', 'Teams', 'PagerDuty'] as const;
export type ReceiverType = (typeof RECEIVER_TYPES)[number];

const ONE_HOUR = 3_600_000;
const LEAST_INTERVAL = 5_000;
const MOST_RECEIVERS = 16;
const MOST_NAMESPACES = 64;
/** Names of receivers: DNS labels. */
const ReceiverName = NamespaceName;

const Receiver = z.strictObject({
  name: ReceiverName,
  type: z.enum(RECEIVER_TYPES),
  secretRef: z.strictObject({ name: Subdomain, namespace: NamespaceName }),
  minSeverity: z.enum(SEVERITIES).default('Info'),
});

const FleetNotificationSpec = z.strictObject({
  events: z.array(z.enum(EVENT_NAMES)).max(EVENT_NAMES.length).default([]),
  subjects: z
    .strictObject({
      kinds: z.array(z.enum(SUBJECT_KINDS)).max(SUBJECT_KINDS.length).optional(),
      namespaces: namespaceList(MOST_NAMESPACES).optional(),
      selector: Selector.optional(),
    })
    .optional(),
  receivers: withRules(z.array(Receiver).min(1).max(MOST_RECEIVERS), {
    rule: 'self.all(a, self.exists_one(b, b.name == a.name))',
    message: 'receivers must have different names',
  }),
  group: z
    .strictObject({
      wait: duration(0, ONE_HOUR).default('10s'),
      interval: duration(LEAST_INTERVAL, 24 * ONE_HOUR).default('1m'),
    })
    .optional(),
  template: z
    .strictObject({ title: z.string().max(256).optional(), line: z.string().max(1_024).optional() })
    .optional(),
  consoleURL: z
    .string()
    .max(512)
    .regex(/^https?:\/\/[^\s"<>|]+$/, 'must be a URL with http or https')
    .optional(),
});

/** Events that a message shows one by one. It counts the others. */
export const MOST_LINES = 10;
const Count = z.int().min(0);
const Line = z.object({
  event: z.string().max(63),
  severity: z.enum(SEVERITIES),
  subject: Text,
  message: Text,
  at: Time,
  path: z.string().max(1_024),
});
export type MessageLine = z.infer<typeof Line>;

/** Events that go out together. */
const Batch = z.object({
  since: Time,
  counts: z.record(z.string().max(63), Count),
  lines: z.array(Line).max(MOST_LINES),
});
export type Batch = z.infer<typeof Batch>;

const ReceiverState = z.object({
  name: z.string().max(63),
  delivered: Count,
  lastDeliveredAt: Time.optional(),
  failures: Count,
  lastFailure: Text.optional(),
  nextAttemptAt: Time.optional(),
  waiting: Count,
  /** Events that the next message will have. */
  gathering: Batch.optional(),
  /** The message that is on its way. It stays the same until the receiver has taken it. */
  sending: Batch.extend({ id: z.string().max(64) }).optional(),
});
export type ReceiverState = z.infer<typeof ReceiverState>;

/** Most characters of the memory of events: about 60,000 events. */
const MOST_KNOWN = 480_000;

/**
 * Status of a FleetNotification, as the CRD declares it. Fields of another release do not make it
 * unreadable.
 */
export const FleetNotificationStatus = z.object({
  observedGeneration: z.int().optional(),
  receivers: z.array(ReceiverState).max(MOST_RECEIVERS).optional(),
  known: z.string().max(MOST_KNOWN).optional(),
  tested: z.string().max(253).optional(),
  conditions: Conditions.optional(),
});
export type FleetNotificationStatus = z.infer<typeof FleetNotificationStatus>;

/** Asks for a test message: each new value sends one. */
export const TEST_ANNOTATION = 'fleet.flotilla.dev/test-message';

/** Messages about rollouts, clusters and catalogs, to people and programs outside of the hub. */
export const FleetNotification = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetNotification'),
  metadata: ClusterMetadata,
  spec: FleetNotificationSpec,
  status: z.unknown().optional(),
});
export type FleetNotification = z.infer<typeof FleetNotification>;
