import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { csv, context as hub } from '../execution/decide-step.fixture.js';
import { decideStep } from '../execution/decide-step.js';
import { readsForStep } from '../execution/reads-for-step.js';
import { stepOf } from '../steps/install-plan-step.js';
import { emptyWorld, type StepAnswer, type StepContext, type StepDecision, withAnswer } from '../steps/step-world.js';

const ALONGSIDE = 'operatorframework.io/installed-alongside-';
const NAME = 'tugs.port.example.com';

const crd = (
  properties: object,
  { annotations = {}, defaults = {}, group = 'port.example.com', apiVersion = 'apiextensions.k8s.io/v1' } = {},
): KubernetesObject => ({
  apiVersion,
  kind: 'CustomResourceDefinition',
  metadata: { name: `tugs.${group}`, annotations },
  spec: {
    group,
    names: { kind: 'Tug', plural: 'tugs', ...defaults },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } },
    ],
  },
});
const OLD = { colour: { type: 'string', enum: ['red'] } };
const NEW = { colour: { type: 'string' } };
const weak = { apiVersion: 'v1', kind: 'ServiceAccount', name: 'weak', namespace: 'harbour' };

type Given = Readonly<{
  live: KubernetesObject;
  next: KubernetesObject;
  may?: boolean;
  csvs?: readonly KubernetesObject[];
  /** The group names no service account. */
  ofHub?: boolean;
}>;

function decide({ live, next, may = false, csvs = [], ofHub = false }: Given): StepDecision & { asked: number } {
  const context: StepContext = ofHub ? hub : { ...hub, actingAs: weak };
  const step = stepOf(next, { resolving: 'tug.v2', sourceName: 'shelf', sourceNamespace: 'olm' });
  let world = emptyWorld;
  let asked = 0;
  for (let reads = readsForStep(step, context, world); reads.length > 0; reads = readsForStep(step, context, world)) {
    for (const read of reads) {
      let answer: StepAnswer = { list: [] };
      if (read.read === 'access') {
        asked += 1;
        answer = { allowed: may };
      } else if (read.read === 'get') {
        const { kind, name, namespace } = read.ref;
        const found = csvs.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
        answer = { object: kind === 'CustomResourceDefinition' ? live : found };
      }
      world = withAnswer(world, read, answer);
    }
  }
  return { ...decideStep(step, context, world), asked };
}

const broughtBy = (...keys: readonly string[]) => ({
  annotations: Object.fromEntries(keys.map((key, index) => [`${ALONGSIDE}${index}`, key])),
});
const replaced = { actions: [{ do: 'update' }], status: 'Present' };
const forbidden = {
  forbidden: true,
  fail:
    `error updating CRD "${NAME}": customresourcedefinitions.apiextensions.k8s.io "${NAME}" is forbidden: ` +
    'User "system:serviceaccount:harbour:weak" cannot update resource "customresourcedefinitions" in API group ' +
    '"apiextensions.k8s.io" at the cluster scope, and no operator of namespace harbour brought this CRD',
};

describe('a CRD that is there, for a group with a service account', () => {
  it.each<[title: string, given: Given, expected: object, asked: number]>([
    ['that lacks the right does not replace it', { live: crd(OLD), next: crd(NEW) }, forbidden, 1],
    ['that has the right replaces it', { live: crd(OLD), next: crd(NEW), may: true }, replaced, 1],
    [
      'replaces what an operator of the namespace brought',
      { live: crd(OLD, broughtBy('harbour/tug.v1')), next: crd(NEW), csvs: [csv('tug.v1')] },
      replaced,
      0,
    ],
    [
      'replaces what an operator of the namespace left behind',
      { live: crd(OLD, broughtBy('harbour/tug.v1')), next: crd(NEW) },
      replaced,
      0,
    ],
    [
      'does not replace what it left behind and another namespace has now',
      {
        live: crd(OLD, broughtBy('harbour/tug.v1', 'other/tug.v1')),
        next: crd(NEW),
        csvs: [csv('tug.v1', {}, 'other')],
      },
      forbidden,
      1,
    ],
    [
      'does not replace what another namespace brought',
      { live: crd(OLD, broughtBy('other/tug.v1')), next: crd(NEW), csvs: [csv('tug.v1', {}, 'other')] },
      forbidden,
      1,
    ],
    ['without an account, the hub replaces it', { live: crd(OLD), next: crd(NEW), ofHub: true }, replaced, 0],
  ])('%s', (_title, given, expected, asked) => {
    const decision = decide(given);
    expect(decision).toMatchObject(expected);
    expect(decision.asked).toBe(asked);
  });

  it('is left as it is, unmarked, where it says all that the bundle says', () => {
    const live = crd(NEW, { defaults: { singular: 'tug', listKind: 'TugList' } });
    expect(decide({ live, next: crd(NEW) })).toMatchObject({ actions: [], status: 'Present' });
    expect(decide({ live, next: crd({ ...NEW, size: { type: 'string' } }) })).toMatchObject(forbidden);
    expect(decide({ live, next: crd({ colour: { type: 'string', enum: ['red'] } }) })).toMatchObject(forbidden);
  });
});

describe('definitions of OLM and of Flotilla', () => {
  it.each(['operators.coreos.com', 'packages.operators.coreos.com', 'olm.operatorframework.io', 'flotilla.dev'])(
    'are refused for every installing user: %s',
    (group) => {
      const expected = {
        fail: `CustomResourceDefinition "tugs.${group}" defines an API of OLM or Flotilla, and no bundle may install or replace it`,
        status: 'UnsupportedResource',
        patienceMs: 0,
      };
      const evil = crd(NEW, { group });
      for (const ofHub of [true, false])
        expect(decide({ live: crd(OLD, { group }), next: evil, may: true, ofHub })).toMatchObject(expected);
      const renamed = { ...evil, spec: crd(NEW).spec };
      expect(decide({ live: crd(OLD, { group }), next: renamed, may: true })).toMatchObject(expected);
    },
  );

  it('are not: groups that only sound so', () => {
    for (const group of ['myoperators.coreos.com', 'coreos.com', 'operators.coreos.com.example.com']) {
      expect(decide({ live: crd(OLD, { group }), next: crd(NEW, { group }), may: true })).toMatchObject(replaced);
    }
  });
});

describe('a step of a CRD, which is written with the hub’s rights', () => {
  const forged = (other: object) => {
    const step = stepOf(crd(NEW), { resolving: '', sourceName: '', sourceNamespace: '' });
    const manifest = JSON.stringify({ ...crd(NEW), ...other });
    return { ...step, resource: { ...step.resource, manifest } };
  };

  it('is refused where its manifest is another kind', () => {
    const role = forged({ kind: 'ClusterRoleBinding', apiVersion: 'rbac.authorization.k8s.io/v1' });
    expect(decideStep(role, hub, emptyWorld)).toEqual({ fail: `error parsing step manifest: ${NAME}` });
  });

  it('is written as a CRD where its manifest names another group', () => {
    expect(decideStep(forged({ apiVersion: 'evil.example.com/v1' }), hub, emptyWorld)).toMatchObject({
      actions: [{ do: 'create', object: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } }],
    });
  });
});
