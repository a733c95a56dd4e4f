import { counted } from '../../kernel/text/counted.js';
import type { Phase } from '../bundle-render/phases.js';

/** Limits of a ClusterObjectSet (its CustomResourceDefinition). */
const MOST_OBJECTS = 50;
const MOST_PHASES = 20;

/**
 * Splits phases with more objects than a revision may hold in one. The excess goes into further phases
 * `crds-2`, `crds-3` …, which wait for one another. Under OLM v1 the API server refuses such a bundle. Phases
 * that fit stay unchanged.
 */
export function fitPhases(phases: readonly Phase[]): readonly Phase[] | Readonly<{ error: string }> {
  const fitting = phases.flatMap(parts);
  if (fitting.length <= MOST_PHASES) return fitting;
  const objects = phases.reduce((sum, phase) => sum + phase.objects.length, 0);
  return {
    error: `the bundle has ${objects} objects, too many for one revision: they fill ${counted(fitting.length, 'phase')} of at most ${MOST_OBJECTS} objects, and a revision has at most ${MOST_PHASES}: install another version, or ask the author to split the bundle`,
  };
}

function parts({ name, objects }: Phase): Phase[] {
  const count = Math.max(1, Math.ceil(objects.length / MOST_OBJECTS));
  return Array.from({ length: count }, (_, at) => ({
    name: at === 0 ? name : `${name}-${at + 1}`,
    objects: objects.slice(at * MOST_OBJECTS, (at + 1) * MOST_OBJECTS),
  }));
}
