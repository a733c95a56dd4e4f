import { z } from 'zod';
import { FleetClusterSource, FleetClusterSourceStatus } from '../../kernel/api/fleet/fleet-cluster-source.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { cutText } from '../../kernel/text/cut-text.js';

const Count = z.int().min(0);
const LONGEST_MESSAGE = 200;
/** Sources in the report of one poller. */
export const MOST_SOURCES = 50;

/** A FleetClusterSource as the console shows it. */
export const SourceReport = z.strictObject({
  name: z.string().max(63),
  /** The tool, as `ArgoCD`. */
  from: z.string().max(60),
  /** The namespace with the tool's objects. Empty: the tool has none. */
  namespace: z.string().max(63),
  paused: z.boolean(),
  clusters: Count,
  refused: Count,
  /** Clusters that have left the tool and stay in the fleet. */
  left: Count,
  /** Reasons why it is not in step, cut in length. Empty: it is. */
  message: z.string().max(LONGEST_MESSAGE),
});
export type SourceReport = z.infer<typeof SourceReport>;

const NOT_REPORTED = 'The poller has not reported it yet.';

/** Returns the report of a source. Returns undefined if the object cannot be read. */
export function sourceReport(object: KubernetesObject): SourceReport | undefined {
  const source = FleetClusterSource.safeParse(object).data;
  if (source === undefined) return undefined;
  const status = FleetClusterSourceStatus.safeParse(object['status'] ?? {}).data ?? {};
  const { clusters = 0, refusedCount = 0, leftCount = 0, conditions = [] } = status;
  const bad = conditions.filter((one) => one.status === 'False').map(({ message }) => message);
  const message = conditions.length === 0 ? NOT_REPORTED : bad.join('; ');
  const { from, namespace = '', paused } = source.spec;
  return {
    ...{ name: source.metadata.name, from, namespace, paused, clusters, refused: refusedCount, left: leftCount },
    message: cutText(message, LONGEST_MESSAGE),
  };
}
