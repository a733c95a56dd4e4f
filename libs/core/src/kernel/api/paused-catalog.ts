import type { KubernetesObject } from './kubernetes-object.js';

/**
 * Annotation of a CatalogSource or ClusterCatalog, ours: with value `true` its content stays as
 * it is, and nothing polls.
 */
const PAUSED_ANNOTATION = 'flotilla.dev/paused';

/** Type of the condition of a catalog that is paused; absent while it is not. */
export const PAUSED_CONDITION = 'Paused';

export const isPaused = ({ metadata }: Pick<KubernetesObject, 'metadata'>): boolean =>
  metadata.annotations?.[PAUSED_ANNOTATION] === 'true';

/** Returns the message of the condition. `digest`: the content that is held. */
export const pausedText = (digest: string | undefined): string =>
  digest === undefined
    ? `annotation ${PAUSED_ANNOTATION} is set: once its content is fetched, nothing polls for newer content`
    : `annotation ${PAUSED_ANNOTATION} is set: nothing polls, and the content ${digest} stays in use`;

const DIGEST = /sha256:[0-9a-f]{64}/;

/**
 * Returns the content that a paused catalog holds, as its condition says. After a restart, a process fetches
 * that very content.
 */
export function pausedDigest({
  conditions,
}: Readonly<{ conditions?: readonly unknown[] | undefined }>): string | undefined {
  for (const condition of conditions ?? []) {
    if (typeof condition !== 'object' || condition === null) continue;
    const { type, message } = condition as Readonly<{ type?: unknown; message?: unknown }>;
    if (type === PAUSED_CONDITION && typeof message === 'string') return DIGEST.exec(message)?.[0];
  }
  return undefined;
}
