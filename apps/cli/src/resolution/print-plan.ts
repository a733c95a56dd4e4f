import { stringify } from 'yaml';
import type { PlanAnswer, PlannedBundle } from './plan-answer.js';

/** The forms in which a plan is printed. */
export const PLAN_FORMATS = ['table', 'json', 'yaml'] as const;
export type PlanFormat = (typeof PLAN_FORMATS)[number];

/** The whole answer as text for standard output. */
export function printPlan(answer: PlanAnswer, format: PlanFormat): string {
  if (format === 'json') return `${JSON.stringify(answer, undefined, 2)}\n`;
  if (format === 'yaml') return stringify(answer);
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

function resolvedText({
  namespace,
  bundles,
  subscriptionsCreated,
}: Extract<PlanAnswer, { result: 'resolved' }>): string {
  if (bundles.length === 0) {
    return `Nothing to do in namespace ${namespace}: every Subscription has what its catalog allows.\n`;
  }
  const rows = bundles.map(({ name, action, version, channel, catalog, because }) => [
    action,
    name,
    version,
    channel,
    catalog,
    because[0] ?? '',
  ]);
  const table = columns([['ACTION', 'BUNDLE', 'VERSION', 'CHANNEL', 'CATALOG', 'BECAUSE'], ...rows]);
  const created = subscriptionsCreated.map(
    ({ name, package: packageName, channel }) =>
      `Subscription to be made: ${name} (package ${packageName}, channel ${channel})`,
  );
  return `${[`Plan for namespace ${namespace}`, table, ...bundles.map(detailText), ...created].join('\n\n')}\n`;
}

function detailText({ name, image, replaces, because, apis, customResourceDefinitions }: PlannedBundle): string {
  const facts: (readonly [string, readonly string[]])[] = [
    ['because', because],
    ['replaces', replaces === undefined ? [] : [replaces]],
    ['image', image === undefined ? ['none: its manifests lie in the catalog'] : [image]],
    ['provides', apis],
    ['CRDs', customResourceDefinitions],
  ];
  const lines = facts.flatMap(([label, values]) =>
    values.map((value, index) => `  ${(index === 0 ? label : '').padEnd(9)} ${value}`),
  );
  return [name, ...lines].join('\n');
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
