import type { Diagnosis } from '#core/cluster/diagnosis/diagnosis';
import { type ResolvedObjects, resolutionAdvice } from '#core/cluster/diagnosis/resolution-advice';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { csvName, isCopied } from '#core/kernel/api/csv-facts';
import type { ExplainAnswer } from '../../resolution/explain-answer.js';

/** The present answer of resolution about an object. */
export type ResolutionNow = Omit<ExplainAnswer, 'kind' | 'name' | 'namespace'>;

/**
 * Joins the diagnosis of a Subscription with the present answer of resolution. The advice of resolution holds
 * unless the objects of the namespace show more. Resolution may fail for a moment while a replaced version is
 * being removed; that failure is left out.
 */
export function withResolution(
  seen: Diagnosis,
  resolution: ResolutionNow,
  { csvs, subscriptions }: ResolvedObjects,
): Diagnosis & Readonly<{ resolution?: ResolutionNow }> {
  if (resolution.well) return { ...seen, todo: [], resolution };
  const going = seen.standing === 'well' ? csvs.find((csv) => !isCopied(csv) && isLeaving(csv)) : undefined;
  if (going !== undefined) {
    const because = [...seen.because, `ClusterServiceVersion ${csvName(going)}, which was replaced, is being removed.`];
    return { ...seen, because };
  }
  const todo = resolutionAdvice(resolution.explanation ?? [], { subscriptions, csvs });
  const { advice, text } = resolution;
  const spoken = text
    .split('\n')
    .filter((line) => todo.length === 0 || line !== advice)
    .join('\n');
  const told = { todo, resolution: { ...resolution, text: spoken } };
  if (seen.standing !== 'well') return { ...seen, ...told };
  const because = [...seen.because, 'Its namespace cannot be resolved now, so no newer version is installed:'];
  return { ...seen, code: 'resolution-failed', standing: 'failed', because, ...told };
}

const isLeaving = ({ metadata, status }: ClusterServiceVersion): boolean =>
  metadata.deletionTimestamp !== undefined || ['Replacing', 'Deleting'].includes(status?.phase ?? '');
