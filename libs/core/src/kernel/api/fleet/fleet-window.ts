import { z } from 'zod';
import * as pattern from './field-patterns.js';
import {
  ClusterMetadata,
  ClusterSelector,
  duration,
  FLEET_API,
  Name,
  Selector,
  Time,
  withRules,
} from './fleet-fields.js';
import { Conditions } from './fleet-status-fields.js';

const ONE_HOUR = 3_600_000;
const LONGEST = 168 * ONE_HOUR;

const Cron = withRules(z.string().min(1).max(256).meta({ pattern: pattern.CRON.source }), {
  rule: `!self.matches(r'${pattern.NO_SUCH_DAY.source}')`,
  message: 'must name a day that there is',
  isServers: true,
});
const TimeZone = withRules(z.string().min(1).max(64), {
  rule: "timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0",
  message: 'must be the name of a time zone, such as Europe/Berlin',
  isServers: true,
});
const Period = withRules(z.strictObject({ from: Time, to: Time }), {
  rule: 'self.to > self.from',
  message: 'to must be after from',
  isServers: true,
});

const FleetWindowSpec = withRules(
  z.strictObject({
    type: z.enum(['Allow', 'Deny']),
    schedule: z
      .strictObject({
        cron: Cron,
        duration: duration(1_000, LONGEST),
        timeZone: TimeZone.default('UTC'),
      })
      .optional(),
    period: Period.optional(),
    clusters: ClusterSelector.optional(),
    subjects: z
      .strictObject({
        kinds: z
          .array(z.enum(['FleetOperator', 'FleetCatalog']))
          .max(2)
          .optional(),
        selector: Selector.optional(),
      })
      .optional(),
    needs: duration().default('0s'),
    breakGlassGroups: z.array(Name).max(16).default([]),
  }),
  { rule: '!has(self.schedule) || !has(self.period)', message: 'only one of schedule and period may be given' },
  {
    rule: "self.type == 'Deny' || has(self.schedule) || has(self.period)",
    message: 'an Allow needs schedule or period',
  },
);

/** Fields of the status of a FleetWindow. */
export const FleetWindowStatus = z.looseObject({
  active: z.boolean(),
  nextStart: Time.optional(),
  nextEnd: Time.optional(),
  clusters: z.int().min(0),
  observedGeneration: z.int().optional(),
  conditions: Conditions.optional(),
});

/** Times when changes may, or must not, start. */
export const FleetWindow = z.strictObject({
  apiVersion: z.literal(FLEET_API),
  kind: z.literal('FleetWindow'),
  metadata: ClusterMetadata,
  spec: FleetWindowSpec,
  status: z.unknown().optional(),
});
export type FleetWindow = z.infer<typeof FleetWindow>;
