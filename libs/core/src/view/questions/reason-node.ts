import type { Reason } from '../../classic/resolution/problem/resolution-problem.js';
import { counted } from '../../kernel/text/counted.js';

/** A reason with the reasons behind it, for a picture. */
export type ConflictNode = Readonly<{
  text: string;
  /** The role of the box: the desired state, a candidate, a requirement, an obstacle. */
  role: 'desired' | 'candidate' | 'requirement' | 'obstacle' | 'note';
  /** The words on the edge that leads here. */
  edge: string;
  children: ConflictNode[];
}>;

const ROLES: Readonly<Record<Reason['kind'], ConflictNode['role']>> = {
  subscription: 'desired',
  installed: 'desired',
  candidate: 'candidate',
  requires: 'requirement',
  missing: 'obstacle',
  'nothing-found': 'obstacle',
  deprecated: 'obstacle',
  conflict: 'obstacle',
  'same-api': 'obstacle',
  'same-package': 'obstacle',
  crowd: 'obstacle',
};
const EDGES: Readonly<Record<ConflictNode['role'], string>> = {
  desired: 'wants',
  candidate: 'could be',
  requirement: 'needs',
  obstacle: 'but',
  note: '',
};

/** Most nodes that are shown; a note counts the others. */
const WIDEST = 12;
const DEEPEST = 8;

/** The reasons behind a resolution that has no solution, as one tree below its namespace. */
export const conflictTree = (namespace: string, reasons: readonly Reason[]): ConflictNode | undefined => {
  const [first] = reasons;
  if (first === undefined) return undefined;
  if (reasons.length === 1) return nodeOf(first, '', 0);
  return { text: `Namespace ${namespace}`, role: 'desired', edge: '', children: below(reasons, 1) };
};

function nodeOf(reason: Reason, edge: string, depth: number): ConflictNode {
  return { text: reason.text, role: ROLES[reason.kind], edge, children: below(reason.because, depth + 1) };
}

function below(reasons: readonly Reason[], depth: number): ConflictNode[] {
  if (reasons.length === 0) return [];
  if (depth >= DEEPEST) return [note(reasons.length)];
  const shown = reasons.slice(0, WIDEST).map((reason) => nodeOf(reason, EDGES[ROLES[reason.kind]], depth));
  return reasons.length <= WIDEST ? shown : [...shown, note(reasons.length - WIDEST)];
}

const note = (count: number): ConflictNode => ({
  text: `${counted(count, 'more reason')}`,
  role: 'note',
  edge: '',
  children: [],
});
