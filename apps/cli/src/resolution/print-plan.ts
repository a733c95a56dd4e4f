import { isData } from '../output/data-format.js';
import { dataText } from '../output/data-text.js';
import { NEXT } from '../output/next-commands.js';
import type { AnswerFormat } from '../output/output-option.js';
import { type Columns, table } from '../output/table.js';
import { verdictOf } from '../output/verdict.js';
import { isYes, type PlanAnswer, type PlannedBundle } from './plan-answer.js';
import type { PlannedPermission } from './plan-steps.js';

type Rule = PlannedPermission['rules'][number];

/** The whole answer as text for standard output. */
export function printPlan(answer: PlanAnswer, format: AnswerFormat): string {
  if (isData(format)) return dataText({ verdict: verdictOf(isYes(answer)), ...answer }, format);
  return answer.result === 'resolved' ? resolvedText(answer) : refusedText(answer);
}

function refusedText(answer: Exclude<PlanAnswer, { result: 'resolved' }>): string {
  const story = answer.result === 'unsatisfiable' ? answer.story : `${answer.message}\n${answer.advice}`;
  const olm = answer.result === 'unsatisfiable' ? `\nOLM's message: ${shortened(answer.message)}\n` : '\n';
  return `Nothing can be installed in namespace ${answer.namespace}.\n${story}${olm}`;
}

const MAX_MESSAGE = 600;
const shortened = (text: string): string =>
  text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}… (all of it with -o json)`;

const COLUMNS: Columns<PlannedBundle> = [
  ['ACTION', ({ action }) => action],
  ['BUNDLE', ({ name }) => name],
  ['VERSION', ({ version }) => version],
  ['CHANNEL', ({ channel }) => channel],
  ['CATALOG', ({ catalog }) => catalog],
  ['BECAUSE', ({ because }) => because[0] ?? ''],
];

function resolvedText({
  namespace,
  bundles,
  subscriptionsCreated,
  unresolved,
  failing,
}: Extract<PlanAnswer, { result: 'resolved' }>): string {
  const leftOut = unresolved.map(({ kind, name, story }) => `Left out: ${kind} ${name}\n${story}`);
  if (bundles.length === 0) {
    const others = leftOut.length === 0 ? 'every Subscription' : 'every other Subscription';
    const nothing = `Nothing to do in namespace ${namespace}: ${others} has what its catalog allows.`;
    const hint = `What is newer, and why it does not come: ${NEXT.explainSubscription()}, with the same options.`;
    return `${[`${nothing}\n${hint}`, ...leftOut].join('\n\n')}\n`;
  }
  const created = subscriptionsCreated.map(
    ({ name, package: packageName, channel }) =>
      `Subscription to be made: ${name} (package ${packageName}, channel ${channel})`,
  );
  const fails = failing.map((line) => `Installed, and then fails: ${line}`);
  return `${[`Plan for namespace ${namespace}`, table(bundles, COLUMNS).trimEnd(), ...bundles.map(detailText), ...created, ...leftOut, ...fails].join('\n\n')}\n`;
}

function detailText(bundle: PlannedBundle): string {
  const { name, image, replaces, because, apis, customResourceDefinitions, relatedImages } = bundle;
  const facts: (readonly [string, readonly string[]])[] = [
    ['because', because],
    ['replaces', replaces === undefined ? [] : [replaces]],
    ['image', image === undefined ? ['none: its manifests are in the catalog'] : [image]],
    ['runs', relatedImages],
    ['provides', apis],
    ['CRDs', customResourceDefinitions],
    ['steps', stepTexts(bundle)],
    ['permissions', (bundle.permissions ?? []).flatMap(permissionText)],
  ];
  const lines = facts.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(11)} ${value}`),
  );
  return [name, ...lines].join('\n');
}

const IN_THE_IMAGE = 'the manifests are in the image: --pull shows steps and permissions';

const stepTexts = ({ steps }: PlannedBundle): readonly string[] =>
  steps?.map(({ kind, name }) => `${kind} ${name}`) ?? [IN_THE_IMAGE];

/** The rights of one service account, a line each. */
export function permissionText({ serviceAccount, namespace, rules }: PlannedPermission): string[] {
  const where = namespace === undefined ? 'in the whole cluster' : `in namespace ${namespace}`;
  return [`ServiceAccount ${serviceAccount} ${where}:`, ...rules.map((rule) => `  ${ruleText(rule)}`)];
}

/** Returns `apps deployments: get, list`. If a rule holds for some objects only, adds names and paths. */
function ruleText({
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
  verbs = [],
}: Rule): string {
  const groups = apiGroups.map((group) => (group === '' ? 'core' : group)).join(',');
  const names = resourceNames.length === 0 ? '' : ` (only ${resourceNames.join(', ')})`;
  const what = nonResourceURLs.length > 0 ? nonResourceURLs.join(',') : `${groups} ${resources.join(',')}${names}`;
  return `${what}: ${verbs.join(', ')}`;
}
