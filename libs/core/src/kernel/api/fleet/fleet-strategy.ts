import { z } from 'zod';
import * as pattern from './field-patterns.js';
import {
  ClusterSelector,
  ClusterShare,
  duration,
  FLEET_API,
  Name,
  NamespacedMetadata,
  NamespaceName,
  Selector,
  Threshold,
  withRules,
} from './fleet-fields.js';
import { Conditions } from './fleet-status-fields.js';

const ONE_HOUR = 3_600_000;
const MOST_WAVES = 16;
const MOST_GATES = 16;
const MOST_RULES = 32;

/** Kinds of change that a plan can hold. */
export const CHANGES = [
  ...(['Install', 'Patch', 'Minor', 'Major', 'Downgrade', 'ChannelSwitch', 'NewDependency', 'CRDChange'] as const),
  ...(['CRDBreaking', 'RBACGrowth', 'NewRegistry', 'Deprecated', 'NeighbourMove', 'CatalogOnly'] as const),
  ...(['ConfigChange', 'Rollback'] as const),
] as const;
export const ChangeKind = z.enum(CHANGES);
export type ChangeKind = z.infer<typeof ChangeKind>;

const Label = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be a DNS label');
const Url = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[^\s/]+[^\s]*$/, 'must be an http or https URL');

/** Without the rule about brackets: an API server would count it for each of 256 gates. */
const GateExpression = z.string().min(1).max(4_096).meta({ pattern: pattern.EXPRESSION.source });

/** An expression about objects of the managed cluster. */
export const CelCheck = withRules(
  z.strictObject({
    apiVersion: z.string().max(253).regex(pattern.API_VERSION, 'must be an API version, such as apps/v1'),
    kind: z.string().max(63).regex(pattern.KIND, 'must be the kind of an object, such as Deployment'),
    namespace: NamespaceName.optional(),
    name: z.string().min(1).max(253).regex(pattern.PATH_SEGMENT, 'must be the name of an object').optional(),
    selector: Selector.optional(),
    expression: GateExpression,
  }),
  { rule: 'has(self.name) != has(self.selector)', message: 'exactly one of name and selector is needed' },
);
export type CelCheck = z.infer<typeof CelCheck>;
const PrometheusCheck = withRules(
  z.strictObject({
    url: Url,
    query: z.string().min(1).max(4_096),
    max: z.number().optional(),
    min: z.number().optional(),
  }),
  { rule: 'has(self.max) != has(self.min)', message: 'exactly one of max and min is needed' },
);

/** A check that holds a cluster, or a wave, before or after the change. */
export const GateSpec = withRules(
  z.strictObject({
    name: Label,
    when: z.enum(['Before', 'After']).default('After'),
    scope: z.enum(['Cluster', 'Wave']).default('Cluster'),
    times: z.int().min(1).max(100).default(3),
    interval: duration(1_000).default('30s'),
    timeout: duration().default('10m'),
    cel: CelCheck.optional(),
    prometheus: PrometheusCheck.optional(),
    webhook: z.strictObject({ url: Url }).optional(),
  }),
  {
    rule: '[has(self.cel), has(self.prometheus), has(self.webhook)].filter(x, x).size() == 1',
    message: 'exactly one of cel, prometheus and webhook is needed',
  },
  { rule: "!has(self.cel) || self.scope == 'Cluster'", message: 'cel goes with scope Cluster' },
);
export type GateSpec = z.infer<typeof GateSpec>;

const Gates = withRules(z.array(GateSpec).max(MOST_GATES), {
  rule: 'self.all(a, self.exists_one(b, a.name == b.name))',
  message: 'gates need different names',
});

const REST = 'must not be "rest": that wave is always there';
const WaveName = withRules(
  Label.refine((name) => name !== 'rest', REST),
  { rule: "self != 'rest'", message: REST, isServers: true },
);

/** The part of a fleet that follows together. */
export const WaveSpec = withRules(
  z.strictObject({
    name: WaveName,
    clusters: ClusterSelector.optional(),
    percent: z.int().min(1).max(100).optional(),
    count: z.int().min(1).optional(),
    maxConcurrent: ClusterShare.default('10%'),
    soak: duration().default('0s'),
    progressDeadline: duration(1_000).default('30m'),
    failureThreshold: Threshold.default(0),
    requireSuccesses: z.int().min(0).default(1),
    offline: z.enum(['Skip', 'Wait', 'Fail']).default('Skip'),
    offlineGrace: duration().default('5m'),
    promotion: z.enum(['Auto', 'Manual']).default('Auto'),
    gates: Gates.default([]),
  }),
  { rule: '!has(self.percent) || !has(self.count)', message: 'only one of percent and count may be given' },
);
export type WaveSpec = z.infer<typeof WaveSpec>;

/** The approvers of plans with a kind of change. */
export const ApprovalRule = z.strictObject({
  changes: z.array(ChangeKind).min(1).max(CHANGES.length),
  action: z.enum(['Auto', 'Manual', 'Deny']),
  groups: z.array(Name).max(16).default([]),
  min: z.int().min(1).max(5).default(1),
  validFor: duration(1_000).default('168h'),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

const ApprovalSpec = z.strictObject({
  default: z.enum(['Auto', 'Manual', 'Deny']).default('Manual'),
  rules: z.array(ApprovalRule).max(MOST_RULES).default([]),
});
export type ApprovalSpec = z.infer<typeof ApprovalSpec>;

/** How a change goes through a fleet. */
export const StrategySpec = z.strictObject({
  waves: withRules(z.array(WaveSpec).max(MOST_WAVES), {
    rule: 'self.all(a, self.exists_one(b, a.name == b.name))',
    message: 'waves need different names',
  }).default([]),
  onFailure: z.enum(['Halt', 'RollBackWave', 'RollBackAll']).default('Halt'),
  onClusterFailure: z.enum(['Keep', 'RollBack']).default('Keep'),
  rollbackConcurrency: ClusterShare.default('25%'),
  supersede: z.enum(['AfterWave', 'Immediately', 'Queue']).default('AfterWave'),
  approval: ApprovalSpec.optional(),
});
export type StrategySpec = z.infer<typeof StrategySpec>;

/** Fields of the status of a FleetStrategy. */
export const FleetStrategyStatus = z.looseObject({
  observedGeneration: z.int().optional(),
  conditions: Conditions.optional(),
});

/** Rules for rollouts. */
export const FleetStrategy = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetStrategy'),
  metadata: NamespacedMetadata,
  spec: StrategySpec,
  status: z.unknown().optional(),
});
export type FleetStrategy = z.infer<typeof FleetStrategy>;

/** How long a decision of any kind may lift windows. */
export const MOST_BREAK_GLASS = 4 * ONE_HOUR;
