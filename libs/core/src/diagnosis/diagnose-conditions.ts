import { z } from 'zod';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

const Conditioned = z.looseObject({
  status: z.looseObject({
    conditions: z.array(
      z.looseObject({
        type: z.string(),
        status: z.string(),
        reason: z.string().optional(),
        message: z.string().optional(),
      }),
    ),
  }),
});

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
  const wanted = WANTED[object.kind] ?? 'Ready';
  const progressing = find('Progressing');
  const told = [find(wanted), progressing]
    .filter((condition) => condition !== undefined)
    .map(({ type, status, reason, message }) =>
      sentence(`${type} is ${status}${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`),
    );
  if (progressing?.reason === 'InvalidConfiguration')
    return diagnosis('failed', told, 'Correct spec.config: what the bundle takes is in the message.');
  if (progressing?.reason === 'ProgressDeadlineExceeded') {
    const available = find('Available');
    const seen =
      available === undefined
        ? told
        : [...told, sentence(`Available is ${available.status}: ${available.message ?? ''}`)];
    return diagnosis(
      'failed',
      seen,
      'See why its objects are not ready; it is tried on, and a newer bundle is taken when there is one.',
    );
  }
  if (progressing?.reason === 'Blocked')
    return diagnosis('failed', told, 'Correct its spec: it is not tried again as it is.');
  if (progressing?.reason === 'Retrying')
    return diagnosis('blocked', told, 'It is tried again by itself; mend what is named.');
  const available = find('Available');
  if (available !== undefined && available.status !== 'True') {
    const seen = sentence(`Available is ${available.status}${available.message ? `: ${available.message}` : ''}`);
    return diagnosis('under-way', [...told, seen]);
  }
  return diagnosis(find(wanted)?.status === 'True' ? 'well' : 'under-way', told);
}
