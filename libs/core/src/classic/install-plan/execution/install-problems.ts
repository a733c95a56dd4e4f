import type { Bundle } from '../../../catalog/bundle/bundle.js';
import { BUNDLE_KINDS } from '../../../catalog/bundle/validate-bundle.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { verdictLine } from '../../../kernel/verdict/verdict-line.js';
import { csvFaults } from '../../csv/foreseen-failures.js';
import { SUPPORTED_STEP_KINDS } from './decide-step.js';

/**
 * Returns the reasons an install of a bundle fails in every cluster although opm accepts the bundle. One line
 * each, with file and object (spec: install-plans.md §5).
 */
export function installProblems({ csv, objects, paths }: Bundle): string[] {
  const line = (object: KubernetesObject, text: string): string =>
    verdictLine([paths?.get(object) ?? '', `${object.kind} ${object.metadata.name ?? ''}`.trim()], text);
  return [
    ...csvFaults(csv).map((fault) => line(csv, fault)),
    ...objects.filter(isOfNoPlan).map((object) => line(object, OF_NO_PLAN)),
  ];
}

/** Kinds that opm lets pass, and that no step may have. */
const isOfNoPlan = ({ kind }: KubernetesObject): boolean =>
  BUNDLE_KINDS.has(kind) && !SUPPORTED_STEP_KINDS.includes(kind);

const OF_NO_PLAN = 'objects of this kind cannot be installed by a plan of OLM; OLM v1 installs them';
