import { describe, expect, it } from 'vitest';
import { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { SUBSCRIPTION_API, type Subscription } from '../../kernel/api/subscription.js';
import { type DesiredClassic, desiredClassic } from './desired-classic.js';
import { hasPlanMade, previewedNamespace } from './previewed-namespace.js';

const desired = (channel?: string): DesiredClassic => {
  const operator = FleetOperator.parse({
    ...{ apiVersion: 'fleet.flotilla.dev/v1alpha1', kind: 'FleetOperator' },
    metadata: { name: 'kafka', namespace: 'platform' },
    spec: { package: 'kafka', namespace: 'apps', catalog: { name: 'curated' }, classic: { channel } },
  });
  const found = desiredClassic(operator, { globalCatalogNamespace: 'olm' });
  if (typeof found === 'string') throw new Error(found);
  return found;
};
const subscription = (status: NonNullable<Subscription['status']>): Subscription => ({
  ...SUBSCRIPTION_API,
  metadata: { name: 'kafka', namespace: 'apps' },
  spec: { name: 'kafka', source: 'curated', sourceNamespace: 'olm', channel: 'stable' },
  status,
});
const waiting = subscription({
  ...{ installedCSV: 'kafka.v1', currentCSV: 'kafka.v2', state: 'UpgradePending' },
  installPlanRef: { name: 'install-1' },
} as NonNullable<Subscription['status']>);
const statusesIn = (live: Subscription, wanted: DesiredClassic, hasOtherContent = false) => {
  const found = previewedNamespace({ subscriptions: [live], operatorGroups: [] }, wanted, hasOtherContent);
  if (typeof found === 'string') throw new Error(found);
  return found.subscriptions.map(({ status }) => status);
};

describe('the namespace that a preview is made of', () => {
  it('has no plan where one waits: the path begins with it', () => {
    expect(hasPlanMade({ subscriptions: [waiting], operatorGroups: [] }, desired())).toBe(true);
    expect(statusesIn(waiting, desired())).toEqual([
      { installedCSV: 'kafka.v1', currentCSV: 'kafka.v1', state: 'AtLatestKnown' },
    ]);
  });

  it('is as it is where a first install waits', () => {
    const first = subscription({ currentCSV: 'kafka.v2', state: 'UpgradePending' } as never);
    expect(hasPlanMade({ subscriptions: [first], operatorGroups: [] }, desired())).toBe(false);
    expect(statusesIn(first, desired())).toEqual([first.status]);
  });

  it('keeps the plan where the fleet asks for another channel, or gives the catalog other content', () => {
    expect(hasPlanMade({ subscriptions: [waiting], operatorGroups: [] }, desired('beta'))).toBe(false);
    expect(statusesIn(waiting, desired('beta'))).toEqual([waiting.status]);
    expect(statusesIn(waiting, desired(), true)).toEqual([waiting.status]);
  });

  it('is as it is where nothing waits', () => {
    const atRest = subscription({ installedCSV: 'kafka.v1', currentCSV: 'kafka.v1', state: 'AtLatestKnown' } as never);
    expect(hasPlanMade({ subscriptions: [atRest], operatorGroups: [] }, desired())).toBe(false);
    expect(statusesIn(atRest, desired())).toEqual([atRest.status]);
  });
});
