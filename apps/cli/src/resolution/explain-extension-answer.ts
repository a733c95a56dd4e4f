import { type ExtensionExplanation, explanationLines } from '#core/v1/extension/explain-extension';
import { NotFound } from '../terminal/io.js';
import { type ExtensionPlan, STATE_VERBS } from './plan-extensions.js';

/**
 * The answer to `flotilla explain extension`, also printed by `-o json`. `well`: the extension has, or gets,
 * its requested version.
 */
export type ExtensionAnswer = Readonly<{
  kind: 'ClusterExtension';
  name: string;
  well: boolean;
  state: ExtensionExplanation['state'];
  text: string;
  plan: ExtensionPlan;
}>;

/**
 * Explains the answer for one of the planned extensions.
 * @throws NotFound if there is none of that name
 */
export function explainPlanned(name: string, plans: readonly ExtensionPlan[]): ExtensionAnswer {
  const plan = plans.find(({ extension }) => extension === name);
  if (plan !== undefined) return extensionAnswer(plan);
  const names = plans.map(({ extension }) => extension);
  const there = names.length === 0 ? '' : `; there ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
  throw new NotFound(`no ClusterExtension ${name} in the manifests${there}`);
}

export function extensionAnswer(plan: ExtensionPlan): ExtensionAnswer {
  const { extension: name, explanation, bundle, version, catalog } = plan;
  const { state } = explanation;
  const head = `ClusterExtension ${name} ${STATE_VERBS[state]} ${bundle} ${version} of catalog ${catalog}.`;
  const text = [...(state === 'cannot-be-met' ? [] : [head]), ...explanationLines(explanation)].join('\n');
  return { kind: 'ClusterExtension', name, well: state !== 'cannot-be-met', state, text, plan };
}
