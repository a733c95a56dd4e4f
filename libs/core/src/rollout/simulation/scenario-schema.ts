import { z } from 'zod';
import { ACTIONS } from '../../kernel/api/fleet/fleet-decision.js';
import { duration, Labels, ObjectName, Text } from '../../kernel/api/fleet/fleet-fields.js';
import { ChangeKind, MOST_BREAK_GLASS } from '../../kernel/api/fleet/fleet-strategy.js';
import { ROLLBACK_CLASS } from '../controller/step/returns.js';

const MOST_CLUSTERS = 100_000;
const Bundle = z.string().min(1).max(512);
/** `FleetOperator/<namespace>/<name>` or `FleetCatalog/<namespace>/<name>`. */
const SubjectKey = z
  .string()
  .regex(
    /^(FleetOperator|FleetCatalog)\/[^/]+\/[^/]+$/,
    'must be KIND/NAMESPACE/NAME of a FleetOperator or FleetCatalog',
  );
const Time = duration();

const ClusterEntry = z.strictObject({
  name: ObjectName,
  count: z.int().min(1).max(MOST_CLUSTERS).optional(),
  labels: Labels.optional(),
  facts: z.record(z.string(), z.unknown()).optional(),
  installed: z.record(SubjectKey, Bundle.nullable()).optional(),
  offline: z.boolean().optional(),
  paused: z.boolean().optional(),
});
export type ClusterEntry = z.infer<typeof ClusterEntry>;
/** The file of `--clusters`. */
export const ClustersFile = z.strictObject({ clusters: z.array(ClusterEntry).min(1) });
export type ClustersFile = z.infer<typeof ClustersFile>;

const FaultClusters = z.strictObject({
  names: z.array(z.string()).optional(),
  matchLabels: Labels.optional(),
  percent: z.number().min(0).max(100).optional(),
});
export type FaultClusters = z.infer<typeof FaultClusters>;

const Target = z.strictObject({
  subject: SubjectKey,
  to: Bundle,
  classes: z
    .array(
      z.strictObject({
        name: z
          .string()
          .min(1)
          .max(63)
          .refine(
            (name) => name !== ROLLBACK_CLASS,
            'must not be "rollback": that class is the one of clusters that go back',
          ),
        clusters: z.strictObject({ names: z.array(z.string()).optional(), matchLabels: Labels.optional() }).optional(),
        changes: z.array(ChangeKind).min(1).optional(),
        /** Changes of the plan in these clusters. With them a class may occur several times. */
        differences: z.array(Text.min(1)).max(100).optional(),
        hops: z.int().min(1).max(20).default(1),
        neighbours: z.array(SubjectKey).max(64).optional(),
        first: Bundle.optional(),
      }),
    )
    .optional(),
  returnBlocked: z
    .enum([
      'NothingBefore',
      'StoredVersionRemoved',
      'StorageVersionUnknown',
      'ObjectsDoNotFit',
      'ConversionLost',
      'NeededByOthers',
      'NotUpgradeable',
      'ContentGone',
    ])
    .optional(),
  needs: z.strictObject({ subject: SubjectKey, to: Bundle }).optional(),
});
export type TargetEntry = z.infer<typeof Target>;

const By = z.strictObject({ user: z.string().min(1).max(253), groups: z.array(z.string()).default([]) });
const Decide = z
  .strictObject({
    rollout: z.string().regex(/^[^/]+\/[^/]+$/, 'must be NAMESPACE/NAME of a rollout'),
    action: z.enum(ACTIONS),
    class: z.string().optional(),
    wave: z.string().optional(),
    clusters: z.array(z.string()).max(100).optional(),
    by: By,
    reason: Text.min(1),
    for: duration(1, MOST_BREAK_GLASS).optional(),
  })
  .refine(({ action, class: name }) => (action !== 'Approve' && action !== 'Reject') || name !== undefined, {
    path: ['class'],
    message: 'Approve and Reject need a class',
  })
  .refine(({ action, for: time }) => (action === 'BreakGlass') === (time !== undefined), {
    path: ['for'],
    message: 'BreakGlass needs it, and no other action has it',
  });

const Manifest = z.looseObject({ apiVersion: z.string(), kind: z.string() });
const ACTS = {
  release: z.strictObject({ subject: SubjectKey, to: Bundle.optional() }),
  decide: Decide,
  label: z.strictObject({ cluster: z.string(), labels: z.record(z.string(), z.string().nullable()) }),
  join: ClusterEntry.omit({ count: true }),
  leave: z.string(),
  withdraw: z.strictObject({ subject: SubjectKey, to: Bundle }),
  deprecate: z.strictObject({ subject: SubjectKey, to: Bundle }),
  install: z.strictObject({ cluster: z.string(), subject: SubjectKey, bundle: Bundle }),
  pause: z.string(),
  unpause: z.string(),
  accept: z.string(),
  apply: Manifest,
  remove: z.string().regex(/^[^/]+(\/[^/]+){1,2}$/, 'must be KIND/NAME or KIND/NAMESPACE/NAME'),
} as const;
const optional = <T extends Record<string, z.ZodType>>(shape: T) =>
  Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.optional()])) as {
    [K in keyof T]: z.ZodOptional<T[K]>;
  };
const exactlyOne = (keys: readonly string[]) => (value: object) =>
  keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined).length === 1;

const ScriptEntry = z
  .strictObject({ at: Time.default('0s'), ...optional(ACTS) })
  .refine(exactlyOne(Object.keys(ACTS)), `exactly one of ${Object.keys(ACTS).join(', ')} is needed`);
export type ScriptEntry = z.infer<typeof ScriptEntry>;

const EFFECTS = {
  applyFails: z.strictObject({ after: Time.default('0s'), cause: Text.default('') }),
  applyHangs: z.strictObject({}),
  slow: z.strictObject({ factor: z.number().min(0).max(10_000) }),
  offline: z.strictObject({ for: Time.optional() }),
  unhealthy: z.strictObject({ after: Time.default('0s'), for: Time.optional() }),
  gate: z.strictObject({ name: z.string(), answer: z.enum(['green', 'red', 'none']) }),
  planChanges: z.strictObject({ class: z.string(), hop: z.int().min(1).max(20).optional() }),
  returnFails: z.strictObject({}),
  controllerKilled: z.strictObject({ everyWrites: z.int().min(1).optional(), down: Time.default('0s') }),
  statusLost: z.strictObject({}),
  assignmentsLost: z.strictObject({}),
  wakesLost: z.strictObject({ for: Time.optional() }),
  clusterReplaced: z.strictObject({}),
  secondLeader: z.strictObject({ for: Time.optional(), staleBy: Time.default('0s') }),
} as const;
export type EffectName = keyof typeof EFFECTS;

const Fault = z
  .strictObject({
    clusters: FaultClusters.optional(),
    bundle: Bundle.optional(),
    from: Time.default('0s'),
    until: Time.optional(),
    probability: z.number().min(0).max(1).optional(),
    attempts: z.int().min(1).optional(),
    ...optional(EFFECTS),
  })
  .refine(exactlyOne(Object.keys(EFFECTS)), `exactly one of ${Object.keys(EFFECTS).join(', ')} is needed`);
export type FaultEntry = z.infer<typeof Fault>;

const Durations = z.strictObject({
  plan: Time.default('1s'),
  hop: Time.default('30s'),
  ready: Time.default('10s'),
  return: Time.default('20s'),
  jitter: z.number().min(0).max(1).default(0),
});

/** The file of `--faults`. */
export const FaultsFile = z.strictObject({
  start: z.iso.datetime({ offset: true }).default('2026-01-05T00:00:00Z'),
  until: Time.default('720h'),
  durations: Durations.default(Durations.parse({})),
  targets: z.array(Target).default([]),
  script: z.array(ScriptEntry).default([]),
  faults: z.array(Fault).default([]),
});
export type FaultsFile = z.infer<typeof FaultsFile>;
