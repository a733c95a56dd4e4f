import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { namedClusters } from '#core/rollout/status/operator-conditions';
import type { LiveFleet } from '#lifecycle/rollouts/controller/state/live-fleet';

/** The catalogs' deprecations of an installed operator: each text with the clusters that report it. */
export type DeprecatedAnswer = Readonly<{ subject: string; because: string; clusters: readonly string[] }>;

/** The part of the fleet in question; absent: all of it. */
export type DeprecatedAsked = Readonly<{ subject?: string; cluster?: string }>;

/**
 * Returns the installed and deprecated operators, as the clusters report them (why: fleet-operators.md
 * "Deprecations").
 */
export function deprecatedOperators(fleet: LiveFleet, { subject, cluster }: DeprecatedAsked = {}): DeprecatedAnswer[] {
  const subjects = [...fleet.files.subjects.values()].filter(({ key }) => subject === undefined || key === subject);
  return subjects.flatMap((one) => {
    const asked = fleet.targetsOf(one).filter(({ name }) => cluster === undefined || name === cluster);
    const reports = asked.flatMap((member) => {
      const because = member.report(one.key)?.deprecated ?? '';
      return because === '' ? [] : [{ because, cluster: member.name }];
    });
    const byText = Map.groupBy(reports, ({ because }) => because);
    return [...byText].map(([because, own]) => {
      const clusters = own.map((report) => report.cluster).sort(byCodeUnit);
      return { subject: one.key, because, clusters };
    });
  });
}

/** `deprecated: FleetOperator/platform/kafka in 2 clusters (shop-1, shop-2): …` */
export const deprecatedLine = ({ subject, because, clusters }: DeprecatedAnswer): string =>
  `deprecated: ${subject} in ${namedClusters(clusters)}: ${because}`;
