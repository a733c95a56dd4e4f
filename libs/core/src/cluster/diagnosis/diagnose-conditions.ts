import { z } from 'zod';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';
import { endedAdvice, pullAdvice } from './pull-trouble.js';

const Condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});
type Condition = z.infer<typeof Condition>;
const Conditioned = z.looseObject({ status: z.looseObject({ conditions: z.array(Condition) }) });

/**
 * Types that an OLM v1 object must have True; `Progressing` must not be `Blocked`
 * (spec: v1-extension.md, v1-catalog.md).
 */
const WANTED: Readonly<Record<string, string>> = { ClusterExtension: 'Installed', ClusterCatalog: 'Serving' };

/** A ClusterExtension or ClusterCatalog by its conditions. */
export function diagnoseConditions(object: KubernetesObject): Diagnosis {
  const read = Conditioned.safeParse(object);
  if (!read.success || read.data.status.conditions.length === 0) {
    return diagnosis('not-read-yet', 'under-way', 'The hub has not read it yet.', ADVICE.checkHub());
  }
  const { conditions } = read.data.status;
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  const [wanted, progressing, available] = [
    find(WANTED[object.kind] ?? 'Ready'),
    find('Progressing'),
    find('Available'),
  ];
  const reported = [...inWords(wanted), ...inWords(progressing)];
  if (isSwitchedOff(object))
    return diagnosis('well', 'well', reported, ADVICE.makeCatalogAvailable(object.metadata.name ?? ''));
  const notReady = available?.status === 'True' ? [] : inWords(available);
  const fetched = fetchAdvice(object, progressing?.message ?? '');
  switch (progressing?.reason) {
    case 'InvalidConfiguration':
      return diagnosis('extension-config-invalid', 'failed', reported, ADVICE.correctExtensionConfig());
    case 'ProgressDeadlineExceeded':
      return diagnosis('rollout-too-slow', 'failed', [...reported, ...notReady], ADVICE.correctRollout());
    case 'Blocked':
      return diagnosis('spec-blocked', 'failed', reported, fetched ?? ADVICE.correctExtensionSpec());
    case 'Retrying':
      return diagnosis('retrying', 'blocked', reported, fetched ?? ADVICE.correctExtensionCause());
  }
  const isWell = wanted?.status === 'True' && notReady.length === 0;
  return diagnosis(isWell ? 'well' : 'progressing', isWell ? 'well' : 'under-way', [...reported, ...notReady]);
}

const fetchAdvice = ({ kind, metadata }: KubernetesObject, message: string): readonly Advice[] | undefined =>
  (kind === 'ClusterCatalog' ? endedAdvice(message, metadata.name ?? '') : undefined) ?? pullAdvice(message);

/** True if a ClusterCatalog is not served because its spec says so. */
export const isSwitchedOff = ({ kind, ...object }: KubernetesObject): boolean =>
  kind === 'ClusterCatalog' && Object(object['spec']).availabilityMode === 'Unavailable';

/** True if a ClusterCatalog serves content, even if its image has newer content. */
export const isServed = (catalog: KubernetesObject): boolean =>
  (Conditioned.safeParse(catalog).data?.status.conditions ?? []).some(
    ({ type, status }) => type === 'Serving' && status === 'True',
  );

/** Returns the message of condition Progressing, and if a bundle of the ClusterExtension is installed. */
export function progressingMessage(object: KubernetesObject): Readonly<{ installed: boolean; message: string }> {
  const conditions = Conditioned.safeParse(object).data?.status.conditions ?? [];
  const find = (type: string) => conditions.find((condition) => condition.type === type);
  return { installed: find('Installed')?.status === 'True', message: find('Progressing')?.message ?? '' };
}

/** Returns a condition as one sentence. Returns none if the condition does not exist. */
function inWords(condition: Condition | undefined): readonly string[] {
  if (condition === undefined) return [];
  const { type, status, reason, message } = condition;
  return [sentence(`${type} is ${status}${reason ? ` (${reason})` : ''}${message ? `: ${message}` : ''}`)];
}
