import { FleetNotification } from '../../kernel/api/fleet/fleet-notification.js';
import type { FleetFact } from './fleet-facts.js';

export const CREATED = '2026-01-05T00:00:00.000Z';

/** A FleetNotification with one Slack receiver. */
export const notificationOf = (spec: object = {}): FleetNotification =>
  FleetNotification.parse({
    apiVersion: 'fleet.flotilla.dev/v1alpha1',
    kind: 'FleetNotification',
    metadata: { name: 'on-call' },
    spec: {
      receivers: [{ name: 'chat', type: 'Slack', secretRef: { name: 'slack', namespace: 'receivers' } }],
      ...spec,
    },
  });

export const unreachable = (name: string, more: Partial<FleetFact> = {}): FleetFact => ({
  ...{ key: `${name} unreachable`, event: 'ClusterUnreachable', message: 'Timeout: no answer' },
  subject: { kind: 'FleetCluster', name, labels: {} },
  ...{ at: '2026-01-05T01:00:00.000Z', path: `/clusters/${name}` },
  ...more,
});

export const halted = (more: Partial<FleetFact> = {}): FleetFact => ({
  ...{ key: 'kafka-3 halted', event: 'Halted', message: 'rollout kafka-3: Halted: resume it' },
  subject: { kind: 'FleetOperator', namespace: 'platform', name: 'kafka', labels: { team: 'data' } },
  ...{ at: '2026-01-05T01:00:00.000Z', path: '/rollouts/platform%2Fkafka-3' },
  ...more,
});
