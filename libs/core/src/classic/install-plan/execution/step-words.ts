import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { BUNDLE_SECRET_KIND, CRD_KIND, CSV_KIND, SUBSCRIPTION_KIND } from '../steps/install-plan-step.js';

/**
 * Beginnings of OLM's errors about one kind of step. Some have a colon before the name, and some use updating
 * for both.
 */
type Words = Readonly<{ creating: string; updating: string; owning: string }>;

const plain = (what: string): Words => ({
  creating: `error creating ${what}`,
  updating: `error updating ${what}`,
  owning: `error generating ownerrefs for ${what}`,
});

/** Words by kind of step, as in OLM's executed plan (spec: install-plans.md §5, error prefixes). */
const WORDS: ReadonlyMap<string, Words> = new Map([
  [CSV_KIND, plain('csv')],
  [SUBSCRIPTION_KIND, plain('subscription')],
  ['Secret', plain('secret')],
  [BUNDLE_SECRET_KIND, { ...plain('secret'), creating: 'error updating secret:', updating: 'error updating secret:' }],
  ['ServiceAccount', plain('service account:')],
  ['Service', { ...plain('service:'), creating: 'error updating service:' }],
  ['ConfigMap', { ...plain('configmap:'), creating: 'error updating configmap:' }],
  ['ClusterRole', plain('clusterrole')],
  ['ClusterRoleBinding', plain('clusterrolebinding')],
  ['Role', plain('role')],
  ['RoleBinding', plain('rolebinding')],
]);

/** The words for every kind without a typed client in OLM. */
const OTHER: Words = { ...plain('unstructured object'), owning: 'error generating ownerrefs for unstructured object:' };

const wordsOf = (step: InstallPlanStep): Words => WORDS.get(step.resource.kind) ?? OTHER;

/** The error text of a refused write of the step's object. */
export function refusedWrite(step: InstallPlanStep, updating: boolean, refusal: string): string {
  const { kind, name } = step.resource;
  if (kind === CRD_KIND) return updating ? `error updating CRD "${name}": ${refusal}` : refusal;
  if (kind === 'Secret') return `${wordsOf(step).creating} ${name} - ${refusal}`;
  return `${updating ? wordsOf(step).updating : wordsOf(step).creating} ${name}: ${refusal}`;
}

/** Returns the error text for a missing CSV that must own the step's object. */
export const ownerMissing = (step: InstallPlanStep, name: string, csv: string): string =>
  `${wordsOf(step).owning} ${name}: clusterserviceversions.operators.coreos.com "${csv}" not found`;
