import { z } from 'zod';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

const Condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
type Condition = z.infer<typeof Condition>;
const Conditioned = z.looseObject({ status: z.looseObject({ conditions: z.array(Condition) }) });

/** Types that an OLM v1 object must have True; `Progressing` must not be `Blocked` (spec: v1-extension.md, v1-catalog.md). */
const WANTED: Readonly<Record<string, string>> = { ClusterExtension: 'Installed', ClusterCatalog: 'Serving' };

/** A ClusterExtension or ClusterCatalog by its conditions. */
export function diagnoseConditions(object: KubernetesObject): Diagnosis {
  const read = Conditioned.safeParse(object);
  if (!read.success || read.data.status.conditions.length === 0) {
    return diagnosis('under-way', 'Nobody has looked at it yet.', 'See that the hub runs: flotilla status.');
  }
  const { conditions } = read.data.status;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const [wanted, progressing, available] = [
    find(WANTED[object.kind] ?? 'Ready'),
    find('Progressing'),
    find('Available'),
  ];
  const told = [...inWords(wanted), ...inWords(progressing)];
  const notReady = available?.status === 'True' ? [] : inWords(available);
  switch (progressing?.reason) {
    case 'InvalidConfiguration':
      return diagnosis('failed', told, 'Correct spec.config: what the bundle takes is in the message.');
    case 'ProgressDeadlineExceeded':
      return diagnosis('failed', [...told, ...notReady], LATE);
    case 'Blocked':
      return diagnosis('failed', told, 'Correct its spec: it is not tried again as it is.');
    case 'Retrying':
      return diagnosis('blocked', told, 'It is tried again by itself; mend what is named.');
  }
  const isWell = wanted?.status === 'True' && notReady.length === 0;
  return diagnosis(isWell ? 'well' : 'under-way', [...told, ...notReady]);
}

const LATE =
  'Mend what keeps the object that is named from being ready; the roll-out then goes on by itself, and a newer bundle is taken when there is one.';

/** One sentence; none about a condition that is not there. */
function inWords(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  const { type, status, reason, message } = condition;
  return [sentence(`${type} is ${status}${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`)];
}
