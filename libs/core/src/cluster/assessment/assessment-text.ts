import { counted } from '../../kernel/text/counted.js';
import type { AssessmentTotals } from './assessment.js';

const MIB = 1024 * 1024;

/** Bytes for people, in MiB or GiB. */
export const memoryText = (bytes: number): string =>
  bytes >= 1024 * MIB ? `${(bytes / (1024 * MIB)).toFixed(1)} GiB` : `${Math.round(bytes / MIB)} MiB`;

const handoverLine = ({ ready, withOlm }: AssessmentTotals): string =>
  withOlm === 0
    ? 'OLM runs in no cluster: a hub can begin at once'
    : `${ready} of ${counted(withOlm, 'cluster')} that run OLM can be handed over now`;

/** Returns the head of a report in a few lines, for people who read no further. */
export function totalsLines(totals: AssessmentTotals): readonly string[] {
  const { clusters, operators, packages, upToDate, behind, withoutWay, deprecated, notWell, movable } = totals;
  return [
    `${counted(operators, 'operator')} of ${counted(packages, 'package')} in ${counted(clusters, 'cluster')}`,
    `${upToDate} at the newest version, ${behind} behind, ${withoutWay} without an upgrade path to it`,
    `${counted(deprecated, 'operator')} deprecated; ${counted(notWell, 'unhealthy object')} now`,
    `${counted(movable, 'operator')} of OLM Classic could become a ClusterExtension`,
    handoverLine(totals),
    ...(totals.olmPods === 0
      ? []
      : [`OLM uses ${memoryText(totals.olmBytes)} of memory in ${counted(totals.olmPods, 'pod')} now`]),
  ];
}
