import type { FleetOperator } from '../../kernel/api/fleet/fleet-operator.js';
import { clusterSelector, type SelectedCluster } from '../placement/select-clusters.js';

type Override = NonNullable<FleetOperator['spec']['overrides']>[number];

/** Another channel or range leads to other versions. */
const leadsElsewhere = ({ channel, range }: Override): boolean => channel !== undefined || range !== undefined;

/** True if clusters of a FleetOperator may reach different versions. */
export const hasOwnVersions = ({ spec }: FleetOperator): boolean => (spec.overrides ?? []).some(leadsElsewhere);

/** Clusters with the same answer are led to the same versions: the place of their override, or undefined. */
export function versionsGroup({ spec }: FleetOperator, cluster: SelectedCluster): number | undefined {
  const all = spec.overrides ?? [];
  const at = all.findIndex(({ clusters }) => clusterSelector(clusters)(cluster));
  const found = all[at];
  return found !== undefined && leadsElsewhere(found) ? at : undefined;
}

/**
 * Returns the FleetOperator for one cluster. The first of its `overrides` that selects the cluster applies;
 * fields that this override omits are as for all clusters. An undefined cluster is unknown, and no override
 * selects it.
 */
export function operatorIn(operator: FleetOperator, cluster: SelectedCluster | undefined): FleetOperator {
  const { overrides = [], classic, v1, versions, ...spec } = operator.spec;
  if (overrides.length === 0 || cluster === undefined) return operator;
  const found = overrides.find(({ clusters }) => clusterSelector(clusters)(cluster));
  if (found === undefined) return operator;
  const { config, range } = found;
  const changed = { ...(spec.api === 'V1' ? v1 : classic), ...channelOf(spec, found), ...(config && { config }) };
  return {
    ...operator,
    spec: {
      ...spec,
      overrides,
      ...(Object.keys(changed).length === 0 ? {} : { [spec.api === 'V1' ? 'v1' : 'classic']: changed }),
      ...(range === undefined && versions === undefined
        ? {}
        : { versions: { ...versions, ...(range === undefined ? {} : { range }) } }),
    },
  };
}

/** OLM v1 takes several channels. */
function channelOf({ api }: Pick<FleetOperator['spec'], 'api'>, { channel }: Override): object {
  if (channel === undefined) return {};
  return api === 'V1' ? { channels: [channel] } : { channel };
}
