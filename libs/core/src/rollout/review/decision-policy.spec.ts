import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { decisionPolicyGap } from './decision-policy.js';

const shipped = await readFile(join(PROJECT_ROOT, 'k8s/overlays/fleet/decisions.yaml'), 'utf8');
const [policy, binding] = parseAllDocuments(shipped).map((one) => KubernetesObject.parse(one.toJSON()));

/** The object with another value at a field of `spec`. */
const edited = (object: KubernetesObject | undefined, change: Readonly<Record<string, unknown>>): KubernetesObject =>
  KubernetesObject.parse({ ...object, spec: { ...(object?.['spec'] as object), ...change } });
const { validations } = Object(policy?.['spec']) as { validations: { expression: string }[] };
const without = (text: string) => validations.filter(({ expression }) => !expression.includes(text));

describe('the policy of decisions', () => {
  it('has no gap as it is shipped', () => {
    expect(decisionPolicyGap(policy, binding)).toBeUndefined();
  });

  it.each([
    ['no policy', undefined, binding, /^ValidatingAdmissionPolicy flotilla-fleet-decisions is missing/],
    ['no binding', policy, undefined, /^ValidatingAdmissionPolicyBinding flotilla-fleet-decisions is missing/],
    ['a policy that errors pass', edited(policy, { failurePolicy: 'Ignore' }), binding, /failurePolicy .* is Ignore/],
    ['no check of names', edited(policy, { validations: without('by.user') }), binding, /the name of the author/],
    ['no check of groups', edited(policy, { validations: without('callersGroups') }), binding, /the groups/],
    ['no check of rights', edited(policy, { validations: without('authorizer') }), binding, /the right to decide/],
    ['no checks', edited(policy, { validations: [] }), binding, /does not check/],
    ['a binding that warns', policy, edited(binding, { validationActions: ['Warn', 'Audit'] }), /does not deny/],
    ['a binding of another policy', policy, edited(binding, { policyName: 'other' }), /Binding .* is missing/],
    ['a binding for some', policy, edited(binding, { matchResources: { namespaceSelector: {} } }), /leaves out some/],
  ])('has a gap: %s', (_, found, bound, expected) => {
    expect(decisionPolicyGap(found, bound)).toMatch(expected);
  });
});
