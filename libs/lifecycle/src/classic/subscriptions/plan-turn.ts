import type { ResolvedResolution } from '#core/classic/install-plan/creation/plan-install';
import { nextPart } from '#core/classic/resolution/isolation/resolution-parts';
import { pauseBeforeFetch } from '#core/classic/subscription/fetch-pace';
import type { Subscription } from '#core/kernel/api/subscription';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';

/**
 * The content of one InstallPlan: all of a resolution, or with isolation a part of it and the names of the
 * Subscriptions that ask for it.
 */
type PlanPart = Readonly<{ resolution: ResolvedResolution; subscriptions?: readonly string[] }>;

/**
 * Returns the next part to install. Parts with bundles that could not be fetched now come after the others.
 */
export function planTurn(
  { read, now }: Pick<NamespaceStageInput, 'read' | 'now'>,
  resolution: ResolvedResolution,
  minRetryMs: number,
): Readonly<{ part: PlanPart | undefined }> | Readonly<{ pauseMs: number }> {
  const { parts } = resolution;
  if (parts === undefined) {
    const pauseMs = pauseBeforeFetch(read.subscriptions, minRetryMs, now);
    return pauseMs > 0 ? { pauseMs } : { part: { resolution } };
  }
  const paused = parts.map(({ subscriptions }) => {
    const asking = read.subscriptions.filter(({ metadata }) => subscriptions.includes(metadata.name ?? ''));
    return pauseBeforeFetch(asking, minRetryMs, now);
  });
  const part = nextPart({ ...resolution, parts: parts.filter((_, index) => paused[index] === 0) });
  const pauses = paused.filter((pause) => pause > 0);
  return part === undefined && pauses.length > 0 ? { pauseMs: Math.min(...pauses) } : { part };
}

/** Returns the Subscriptions that ask for the part. */
export const askingFor = (
  { subscriptions }: PlanPart,
  { read }: Pick<NamespaceStageInput, 'read'>,
): readonly Subscription[] =>
  read.subscriptions.filter(({ metadata }) => subscriptions?.includes(metadata.name ?? '') ?? true);
