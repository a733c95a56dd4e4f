import type { ObjectRef } from '#core/kernel/api/kubernetes-object';
import { counted } from '#core/kernel/text/counted';
import { explanationLines } from '#core/v1/extension/explain-extension';
import type { PlannedObject } from '#core/v1/revision/plan-objects';
import type { ExtensionStep } from '../../preview/next-revision-step.js';

/** Describes the next step of a ClusterExtension, as text for standard output. */
export function extensionStepText(step: ExtensionStep): string {
  const { image, explanation, note, trouble, next, objects } = step;
  const why = explanation === undefined ? [] : explanationLines(explanation);
  const reportedKinds = new Set([
    ...(image === undefined || next === 'keep' ? [] : [`image ${image}`]),
    ...(trouble === undefined ? [] : trouble.split('\n')),
    ...why.filter((line) => line !== trouble),
    ...(note === undefined || why.length > 0 ? [] : [note]),
  ]);
  const lines = [...reportedKinds].map((line) => `  ${line}`);
  return [headOf(step), ...lines, ...objectLines(next, objects), ''].join('\n');
}

function headOf({ cluster, extension, next, installed, revision, bundle, version }: ExtensionStep): string {
  const who = `ClusterExtension ${extension} of ${cluster}`;
  const has = installed === undefined ? '' : ` (installed: ${installed})`;
  switch (next) {
    case 'make':
      return `${who}${has}: ${bundle} ${version} will be installed as revision ${revision}`;
    case 'rollout':
      return `${who}${has}: ${bundle} ${version} is rolling out, revision ${revision}`;
    case 'keep':
      return `${who}${has}: ${bundle} ${version} stays, revision ${revision}`;
    case 'nothing':
      return `${who}${has}: ${bundle === undefined ? 'nothing comes' : `${bundle} ${version} cannot come`}`;
  }
}

/**
 * Returns the lines about objects. For an existing revision only objects that differ from it are worth a line
 * each.
 */
function objectLines(next: ExtensionStep['next'], objects: readonly PlannedObject[]): string[] {
  const shown = next === 'make' ? objects : objects.filter(({ does }) => does !== 'keep');
  const others = objects.length - shown.length;
  const rest = counted(others, 'object is correct', 'objects are correct');
  const lines = shown.map((object) => `${object.does.padEnd(7)} ${nameOf(object.ref)}${detailOf(object)}`);
  return [...lines, ...(others === 0 ? [] : [rest])].map((line) => `    ${line}`);
}

const nameOf = ({ kind, namespace, name }: ObjectRef): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;

const MOST_FIELDS = 4;

function detailOf(object: PlannedObject): string {
  if (object.does === 'collide') return `: ${object.report.split('\n').at(-1)}`;
  if (object.does !== 'change') return '';
  const more = object.fields.length - MOST_FIELDS;
  return `: ${object.fields.slice(0, MOST_FIELDS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
