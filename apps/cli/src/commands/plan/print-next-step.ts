import type { CommandAccess } from '#core/cluster/advice/command-in';
import type { Away } from '../../clusters/ask-clusters.js';
import { field, text } from '../../clusters/field.js';
import { grantIn } from '../../clusters/withheld.js';
import { isData } from '../../output/data-format.js';
import { dataText } from '../../output/data-text.js';
import { NEXT } from '../../output/next-commands.js';
import type { Verdict } from '../../output/verdict.js';
import type { ExtensionStep } from '../../preview/next-revision-step.js';
import type { NextStep } from '../../preview/next-step.js';
import type { RecordedWrite } from '../../preview/recording-client.js';
import { extensionStepText } from './print-extension-step.js';

/** The answer to `flotilla plan --live`, also printed by `-o json`. */
type LivePlan = Readonly<{
  verdict: Verdict;
  away: readonly Away[];
  items: readonly (NextStep | ExtensionStep)[];
}>;

/** Options of next commands: those of `flotilla`, and those of an administrator who grants rights. */
export type AccessOf = (cluster: string) => Readonly<{ own: string; granting: CommandAccess }>;

/** Returns the next step in each namespace and for each extension, as text for standard output. */
export function printNextSteps(plan: LivePlan, format: string, access: AccessOf): string {
  if (isData(format)) return dataText(plan, format);
  return plan.items
    .map((step) => ('extension' in step ? extensionStepText(step) : stepText(step, access(step.cluster))))
    .join('\n');
}

function stepText({ cluster, namespace, writes, withheld = [] }: NextStep, access: ReturnType<AccessOf>): string {
  const where = `namespace ${namespace} of ${cluster}`;
  const lacks = withheld
    .map(({ what, todo }) => `  not read with this login: ${what}\n    ${GIVEN_BY} ${grantIn(access.granting, todo)}\n`)
    .join('');
  if (lacks !== '' && writes.length === 0) return `The next step in ${where} is unknown:\n${lacks}`;
  if (lacks !== '')
    return `${written(where, writes)}  The hub may decide differently, because it can read more:\n${lacks}`;
  if (writes.length === 0)
    return `Nothing to do in ${where} now. To see waiting objects and their causes: ${NEXT.statusOf(access.own)}\n`;
  return written(where, writes);
}

const GIVEN_BY = 'an administrator of the cluster can grant the right with';

const written = (where: string, writes: readonly RecordedWrite[]): string =>
  [`Next in ${where}:`, ...writes.map((write) => `  ${writeText(write)}`), ''].join('\n');

const VERBS: Readonly<Record<RecordedWrite['verb'], string>> = {
  create: 'create',
  update: 'update',
  updateStatus: 'status of',
  apply: 'apply',
  patch: 'patch',
  delete: 'delete',
};

function writeText({ verb, ref, change, as }: RecordedWrite): string {
  const where = ref.namespace === undefined ? ref.name : `${ref.namespace}/${ref.name}`;
  const by = as === undefined ? '' : ` as ${as}`;
  const detail = detailOf(verb, ref.kind, change);
  return `${VERBS[verb]} ${ref.kind} ${where}${by}${detail === '' ? '' : `: ${detail}`}`;
}

/** The few words that distinguish one write of this kind from another. */
function detailOf(verb: RecordedWrite['verb'], kind: string, change: unknown): string {
  if (kind === 'Event') return [text(change, 'reason'), text(change, 'message') || text(change, 'note')].join(', ');
  if (verb === 'patch') return shortened(JSON.stringify(change));
  if (verb !== 'updateStatus') return '';
  const phase = text(change, 'status', 'phase') || text(change, 'status', 'state');
  const phaseText = [phase, text(change, 'status', 'reason'), text(change, 'status', 'message')]
    .filter(Boolean)
    .join(', ');
  return phaseText === '' ? shortened(JSON.stringify(field(change, 'status') ?? {})) : phaseText;
}

const LONGEST = 160;
const shortened = (json: string): string => (json.length <= LONGEST ? json : `${json.slice(0, LONGEST)}…`);
