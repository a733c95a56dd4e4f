import { describe, expect, it } from 'vitest';
import { FleetDecision } from '../../kernel/api/fleet/fleet-decision.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { readScenario, ScenarioProblem } from '../simulation/read-scenario.js';
import { BAD_OBJECTS, GOOD_OBJECTS } from './bad-values.fixture.js';
import { issueText, readFleetObject, specSchema } from './read-fleet-object.js';
import { brokenRules } from './rule-check.js';

const isDecision = ({ kind }: KubernetesObject) => kind === 'FleetDecision';

/** Reader of the folder and of `fleet plan -f`. */
function planProblem(object: KubernetesObject): string | undefined {
  const read = readFleetObject(object);
  return 'problem' in read ? read.problem : undefined;
}

function simulateProblem(object: KubernetesObject): string | undefined {
  try {
    const nothing = { clusters: undefined, faults: undefined, seed: '1', until: undefined };
    readScenario({ ...nothing, manifests: [{ value: object, where: 'f.yaml:1' }] });
    return undefined;
  } catch (error) {
    if (error instanceof ScenarioProblem) return error.message;
    throw error;
  }
}

describe('values that fields of the fleet do not take', () => {
  it('are refused by plan -f, the folder and simulate alike, in one line that names the field', () => {
    const wrong: string[] = [];
    for (const { title, object } of BAD_OBJECTS.filter((one) => !isDecision(one.object))) {
      const problem = planProblem(object);
      if (problem === undefined) wrong.push(`accepted: ${title}`);
      else if (!problem.startsWith('spec')) wrong.push(`no field: ${title}: ${problem}`);
      else if (problem.includes('\n') || problem.length > 300) wrong.push(`long: ${title}: ${problem}`);
      else if (simulateProblem(object) !== `f.yaml:1: ${problem}`) wrong.push(`simulate: ${title}`);
    }
    expect(wrong).toEqual([]);
  });

  it('name their field in the outcome of a decision, too, and are those of a schema or of a rule', () => {
    const wrong = BAD_OBJECTS.filter((one) => isDecision(one.object)).flatMap(({ title, object }) => {
      const { data, error } = FleetDecision.safeParse(object);
      if (error !== undefined) return issueText(error).startsWith('spec') ? [] : [title];
      return brokenRules(specSchema('FleetDecision'), data.spec, undefined, 'spec').length === 0 ? [title] : [];
    });
    expect(wrong).toEqual([]);
  });

  it('are not refused for what is good beside them', () => {
    expect(GOOD_OBJECTS.filter((one) => !isDecision(one)).map(planProblem)).toEqual(
      GOOD_OBJECTS.filter((one) => !isDecision(one)).map(() => undefined),
    );
  });
});
