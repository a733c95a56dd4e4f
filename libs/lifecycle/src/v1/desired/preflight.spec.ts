import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { DesiredRevision } from '#core/v1/revision/build-revision';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { Refusal } from '#testing/cluster/objects/refusal';
import { DecidedOnCache } from '../../engine/passes/perform.js';
import { configMap, ExtensionEnvironment, NAMESPACE } from '../extensions/extension-environment.fixture.js';
import { accountProblem, crdProblems, permissionProblems } from './preflight.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const crd = (plural: string, properties: object, required: readonly string[] = []) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.lamps.example.com` },
  spec: {
    group: 'lamps.example.com',
    scope: 'Namespaced',
    names: { kind: plural, plural, singular: plural, listKind: `${plural}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties, required } } },
        },
      },
    ],
  },
});
const STRING = { type: 'string' };
const desired = (...objects: object[]): DesiredRevision =>
  ({ phases: [{ name: 'one', objects: objects as unknown as KubernetesObject[] }] }) as unknown as DesiredRevision;
const OFF = { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } };
const STRICT = { install: { preflight: { crdUpgradeSafety: { enforcement: 'Strict' } } } };

describe('what speaks against the CRDs of a revision', () => {
  const problems = async (...objects: object[]) => crdProblems(await env.round(), desired(...objects));
  const stands = (plural: string) => env.add(crd(plural, { light: STRING }));

  it.each<[because: string, spec: object, wanted: object[], text: string | undefined]>([
    ['no object is a CRD', {}, [configMap('one')], undefined],
    ['the cluster does not have it', {}, [crd('lanterns', {})], undefined],
    ['it adds a field', {}, [crd('lamps', { light: STRING, more: STRING })], undefined],
    [
      'it adds a required field',
      {},
      [crd('lamps', { light: STRING, more: STRING }, ['more'])],
      'validating upgrade for CRD "lamps.lamps.example.com": v1: ^.spec: required: new required fields: [more]',
    ],
    [
      'it adds a required field, and Strict is set',
      STRICT,
      [crd('lamps', { light: STRING }, ['light'])],
      'validating upgrade for CRD "lamps.lamps.example.com": v1: ^.spec: required: new required fields: [light]',
    ],
    ['checks are off', OFF, [crd('lamps', {}, ['more'])], undefined],
    [
      'two of them are unsafe: both are named',
      {},
      [crd('lamps', { light: STRING }, ['light']), crd('bulbs', { light: STRING }, ['light'])],
      ['lamps', 'bulbs']
        .map(
          (name) =>
            `validating upgrade for CRD "${name}.lamps.example.com": v1: ^.spec: required: new required fields: [light]`,
        )
        .join('\n'),
    ],
  ])('%s', async (_, spec, wanted, text) => {
    stands('lamps');
    stands('bulbs');
    env.extension(spec);
    expect(await problems(...wanted)).toBe(text);
  });

  it('is that one cannot be read, in the words of the API server', async () => {
    env.extension();
    env.cluster.failAll({ resource: 'customresourcedefinitions' }, new Refusal(403, 'Forbidden', 'not yours'));
    expect(await problems(crd('lamps', {}))).toBe(
      'getting existing resource for CRD "lamps.lamps.example.com": not yours',
    );
  });

  it('is unknown while the API server does not answer', async () => {
    env.extension();
    const pass = await env.round();
    env.cluster.lossOf = () => 'request';
    await expect(crdProblems(pass, desired(crd('lamps', {})))).rejects.toMatchObject({ reason: 'Unreachable' });
  });
});

const RBAC = 'rbac.authorization.k8s.io';
const ACCOUNT = { serviceAccount: { name: 'miller' } };
const rule = (apiGroup: string, resource: string, ...verbs: string[]) => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
});
const FINALIZERS = rule('olm.operatorframework.io', 'clusterobjectsets/finalizers', 'update');
const ALL = ['get', 'patch', 'update', 'delete', 'create'];
const grant = (namespace: string | undefined, ...rules: object[]) => {
  const scope = namespace === undefined ? 'Cluster' : '';
  const name = `miller-${scope.toLowerCase()}`;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  env.add(
    { apiVersion: `${RBAC}/v1`, kind: `${scope}Role`, metadata, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: `${scope}RoleBinding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind: `${scope}Role`, name },
      subjects: [{ kind: 'ServiceAccount', name: 'miller', namespace: NAMESPACE }],
    },
  );
};

describe('the rights of a service account', () => {
  const missing = async (...objects: object[]) => permissionProblems(await env.round(), desired(...objects));

  it('are not asked for where the extension names none', async () => {
    env.extension();
    expect(await missing(configMap('one'))).toBeUndefined();
    expect(env.cluster.requests.filter(({ resource = '' }) => resource.endsWith('bindings'))).toEqual([]);
  });

  it.each<[resource: string, apiVersion: string, kind: string]>([
    ['networkpolicies', 'networking.k8s.io/v1', 'NetworkPolicy'],
    ['ingresses', 'networking.k8s.io/v1', 'Ingress'],
    ['priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass'],
    ['configmaps', 'v1', 'ConfigMap'],
    ['poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget'],
  ])('over %s are those that the API server asks for', async (resource, apiVersion, kind) => {
    env.extension(ACCOUNT);
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    grant(NAMESPACE, rule(group, resource, ...ALL));
    grant(undefined, FINALIZERS);
    expect(await missing({ apiVersion, kind, metadata: { name: 'one', namespace: NAMESPACE } })).toBeUndefined();
  });

  it('are all listed that are missing: on objects, of the next revision, and to grant what it does not have', async () => {
    env.extension(ACCOUNT);
    const role = {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'gear' },
      rules: [rule('', 'pods', 'get')],
    };
    grant(undefined, rule(RBAC, 'clusterroles', ...ALL));
    expect(await missing(role, configMap('one'))).toBe(
      [
        'pre-authorization failed: service account requires the following permissions to manage cluster extension:',
        '  Namespace:"" APIGroups:[] Resources:[pods] Verbs:[get]',
        '  Namespace:"" APIGroups:[olm.operatorframework.io] Resources:[clusterobjectsets/finalizers] ResourceNames:[gear-1] Verbs:[update]',
        '  Namespace:"mill" APIGroups:[] Resources:[configmaps] ResourceNames:[one] Verbs:[delete,get,patch,update]',
        '  Namespace:"mill" APIGroups:[] Resources:[configmaps] Verbs:[create]',
      ].join('\n'),
    );
  });

  it('that are missing in the cache are read again, live', async () => {
    env.extension(ACCOUNT);
    const pass = await env.round();
    Object.defineProperty(pass.reader, 'live', { value: false });
    await expect(permissionProblems(pass, desired(configMap('one')))).rejects.toBeInstanceOf(DecidedOnCache);
    await expect(accountProblem(pass)).rejects.toBeInstanceOf(DecidedOnCache);
  });
});

describe('the service account', () => {
  it.each<[because: string, spec: object, problem: string | undefined]>([
    ['none is named', {}, undefined],
    ['it exists', ACCOUNT, undefined],
    [
      'it does not exist',
      { serviceAccount: { name: 'baker' } },
      'operation cannot proceed due to the following validation error(s): service account "baker" not found in namespace "mill"',
    ],
  ])('%s', async (_, spec, problem) => {
    env.add({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'miller', namespace: NAMESPACE } });
    env.extension(spec);
    expect(await accountProblem(await env.round())).toBe(problem);
  });

  it('is unknown while it may not be read', async () => {
    env.extension(ACCOUNT);
    env.cluster.failAll({ resource: 'serviceaccounts' }, new Refusal(403, 'Forbidden', 'not yours'));
    await expect(accountProblem(await env.round())).rejects.toBeInstanceOf(KubeApiError);
  });
});
