import { describe, expect, it } from 'vitest';
import { observedSubscription } from '#core/cluster/observation/observed-part';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { Subscription } from '#core/kernel/api/subscription';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { ObjectMetrics } from './object-metrics.js';

const source = (status?: CatalogSource['status']): CatalogSource => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name: 'shelf', namespace: 'olm' },
  spec: { sourceType: 'grpc', image: 'registry.example/shelf:1' },
  ...(status === undefined ? {} : { status }),
});

async function ready(metrics: Metrics): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split('\n').filter((line) => line.startsWith('catalogsource_ready{'));
}

describe('catalogsource_ready', () => {
  const series = 'catalogsource_ready{cluster="east",namespace="olm",name="shelf"}';
  const state = (lastObservedState: string, reason?: string) => ({
    connectionState: { lastObservedState },
    ...(reason === undefined ? {} : { reason }),
  });
  it.each([
    { status: state('READY'), value: 1, because: 'content is held' },
    { status: state('READY', 'RegistryServerError'), value: 1, because: 'held content stays in use' },
    { status: state('TRANSIENT_FAILURE', 'RegistryServerError'), value: 0, because: 'nothing was loaded' },
    {
      status: state('READY', 'SpecInvalidError'),
      value: 0,
      because: 'OLM leaves the old state beside an invalid spec',
    },
    { status: { reason: 'SpecInvalidError' }, value: 0, because: 'nothing will come of it' },
    { status: undefined, value: undefined, because: 'nobody has looked yet' },
  ])('is $value: $because', async ({ status, value }) => {
    const metrics = new Metrics({ processMetrics: false });
    const objects = new ObjectMetrics(metrics, 'east');
    objects.note(source(status), 'changed');
    expect(await ready(metrics)).toEqual(value === undefined ? [] : [`${series} ${value}`]);
    objects.note(source(status), 'gone');
    expect(await ready(metrics)).toEqual([]);
  });
});

describe('flotilla_subscriptions_unresolved', () => {
  const subscription = (...conditions: readonly { type: string; status: string; reason?: string }[]): Subscription => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'lamp', namespace: 'apps' },
    spec: { name: 'lamp', source: 'shelf', sourceNamespace: 'olm' },
    status: { conditions: [...conditions] },
  });
  const count = async (metrics: Metrics) =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('flotilla_subscriptions_unresolved{'));

  it('follows condition ResolutionFailed', async () => {
    const metrics = new Metrics({ processMetrics: false });
    const objects = new ObjectMetrics(metrics, 'east');
    // What the poller keeps of a Subscription is what the metrics get.
    const note = (seen: Subscription, event: 'changed' | 'gone') => objects.note(observedSubscription(seen), event);
    const failed = (status: string) => ({ type: 'ResolutionFailed', status, reason: 'ConstraintsNotSatisfiable' });
    const series = 'flotilla_subscriptions_unresolved{cluster="east",reason="ConstraintsNotSatisfiable"}';
    const healthy = { type: 'CatalogSourcesUnhealthy', status: 'False' };
    note(subscription(healthy, failed('True')), 'changed');
    note(subscription(healthy, failed('True')), 'changed');
    expect(await count(metrics)).toEqual([`${series} 1`]);
    note(subscription(healthy, failed('False')), 'changed');
    expect(await count(metrics)).toEqual([`${series} 0`]);
    note(subscription(failed('True')), 'changed');
    note(subscription(failed('True')), 'gone');
    expect(await count(metrics)).toEqual([`${series} 0`]);
  });
});
