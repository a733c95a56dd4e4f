/** Returns a Kubernetes timestamp (RFC 3339, UTC, whole seconds) of a date or of its ISO text. */
export const kubernetesTime = (now: Date | string): string => `${new Date(now).toISOString().slice(0, 19)}Z`;

/** Milliseconds from one ISO date to another; a text that is no date counts as "just now". */
export function elapsedMs(from: string, to: string): number {
  const elapsed = Date.parse(to) - Date.parse(from);
  return Number.isNaN(elapsed) ? 0 : elapsed;
}
