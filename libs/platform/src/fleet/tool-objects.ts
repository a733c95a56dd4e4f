import { TOOL_KINDS } from '#core/cluster/imports/import-role';
import type { ImportTool } from '#core/kernel/api/fleet/fleet-cluster-source';
import type { KindRef, KubeClient, ListOptions } from '../kube/client/kube-client.port.js';

/** Returns the newest version of a tool's kind that an API server serves. Undefined if it serves none. */
export async function servedToolKind(client: KubeClient, tool: ImportTool): Promise<KindRef | undefined> {
  const { kind, group, versions } = TOOL_KINDS[tool];
  for (const version of versions) {
    const ref = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
    if (await client.serves(ref)) return ref;
  }
  return undefined;
}

/** Selects the objects of a tool that are clusters. */
export function toolListOptions(tool: ImportTool, namespace: string | undefined): ListOptions {
  const { labelSelector } = TOOL_KINDS[tool];
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
}
