import { type KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { clipMessage } from '../../kernel/conditions/clip-message.js';
import { asList, asRecord, asText } from '../../kernel/crd/loose-value.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';

const UPGRADEABLE = 'Upgradeable';
const INCOMPATIBLE = 'IncompatibleOperatorsInstalled';
const ERROR = 'ErrorCheckingOperatorCompatibility';

/** Says if installed operators allow OpenShift's upgrade to its next minor version. */
export type OperatorCompatibility =
  | Readonly<{ kind: 'compatible' }>
  /** `message` names the operators that block. */
  | Readonly<{ kind: 'incompatible'; message: string }>
  | Readonly<{ kind: 'unknown'; message: string }>;

/**
 * Returns the status of a ClusterOperator with condition Upgradeable as computed from operators (spec:
 * csv-lifecycle.md §13). Returns undefined if the condition is unchanged, or if another writer set it to
 * False for its own reason. The rest of the status stays as it is.
 */
export function clusterOperatorStatus(
  operator: KubernetesObject,
  compatibility: OperatorCompatibility,
  now: Date,
): Readonly<Record<string, unknown>> | undefined {
  const status = asRecord(operator['status']);
  const conditions = asList(status['conditions']).map(asRecord);
  const current = conditions.find(({ type }) => type === UPGRADEABLE);
  const wanted = wantedCondition(compatibility);
  const foreign = current?.['status'] === 'False' && ![INCOMPATIBLE, ERROR].includes(asText(current['reason']));
  if (foreign || (current !== undefined && says(current, wanted))) return undefined;
  const since = current?.['status'] === wanted.status ? asText(current['lastTransitionTime']) : '';
  const condition = { ...wanted, lastTransitionTime: since || kubernetesTime(now) };
  const others = conditions.map((one) => (one === current ? condition : one));
  return { ...status, conditions: current === undefined ? [...others, condition] : others };
}

/**
 * Returns the reasons of operators that block the next minor version of OpenShift, by OLM's ClusterOperators:
 * one line for each operator. Empty if no operator blocks. A reason that is not about operators is left out.
 */
export const upgradeBlockers = (operators: readonly KubernetesObject[]): readonly string[] => [
  ...new Set(operators.flatMap(blockersIn)),
];

function blockersIn(operator: KubernetesObject): string[] {
  const conditions = asList(asRecord(operator['status'])['conditions']).map(asRecord);
  return conditions
    .filter(({ type, status }) => type === UPGRADEABLE && status === 'False')
    .filter(({ reason }) => [INCOMPATIBLE, ERROR].includes(asText(reason)))
    .flatMap(({ message }) => linesOf(asText(message)));
}

/** The lines behind the heading, each one operator; a message without a list is one line. */
function linesOf(message: string): string[] {
  const lines = message.split('\n').map((line) => line.trim());
  const listed = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  return listed.length > 0 ? listed : [lines.join(' ')];
}

type Wanted = Readonly<{ type: string; status: 'True' | 'False'; reason?: string; message?: string }>;

function wantedCondition(compatibility: OperatorCompatibility): Wanted {
  if (compatibility.kind === 'compatible') return { type: UPGRADEABLE, status: 'True' };
  const reason = compatibility.kind === 'incompatible' ? INCOMPATIBLE : ERROR;
  return { type: UPGRADEABLE, status: 'False', reason, message: clipMessage(compatibility.message) };
}

const says = (current: Readonly<Record<string, unknown>>, { status, reason = '', message = '' }: Wanted): boolean =>
  current['status'] === status && asText(current['reason']) === reason && asText(current['message']) === message;
