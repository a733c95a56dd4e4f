import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import type { ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { canonicalHash, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { type DesiredClassic, subscriptionOver } from './desired-classic.js';

/** The fleet's changes to an existing Subscription. */
export type SubscriptionChanges = Readonly<{
  kinds: readonly ChangeKind[];
  /** True if channel or catalog change: the Subscription must be resolved again. */
  isResolvedAnew: boolean;
  /** Each changed field as one line. */
  lines: readonly string[];
}>;

/** Returns the fields of `spec` to change. Fields that the FleetOperator does not set are left alone. */
export function subscriptionChanges(live: Subscription, desired: DesiredClassic): SubscriptionChanges {
  const [before, after] = [live.spec, subscriptionOver(live, desired).spec];
  const changed = Object.keys(after).filter((key) => !sameJson(before[key as Field], after[key as Field]));
  const isIn = (...fields: readonly Field[]) => changed.some((key) => fields.includes(key as Field));
  const hasOther = changed.some((key) => key !== 'channel');
  return {
    kinds: [...(isIn('channel') ? (['ChannelSwitch'] as const) : []), ...(hasOther ? (['ConfigChange'] as const) : [])],
    isResolvedAnew: isIn('channel', 'source', 'sourceNamespace'),
    lines: changed.map(
      (key) => `Subscription spec.${key}: ${text(before[key as Field])} → ${text(after[key as Field])}`,
    ),
  };
}

type Field = keyof Subscription['spec'];
const text = (value: unknown): string => (value === undefined ? 'none' : canonicalJson(value));

/**
 * Returns a hash of the fields that a FleetOperator sets in Subscriptions and extensions. One rollout
 * delivers each value.
 */
export const askedHash = ({ spec }: FleetOperator): string => {
  const { catalog, classic, v1, overrides = [], adopt } = spec;
  const { channel, config, operatorGroup } = classic ?? {};
  const group = operatorGroup?.manage === 'Adopt' ? 'Adopt' : undefined;
  const others = overrides.map((one) => ({ clusters: one.clusters, channel: one.channel, config: one.config }));
  return canonicalHash(JSON.parse(JSON.stringify({ catalog, channel, config, group, v1, overrides: others, adopt })));
};
