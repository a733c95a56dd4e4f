import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  configMap,
  ExtensionEnvironment,
  NAMESPACE,
  quietCsv,
  SYSTEM_NAMESPACE,
} from './extension-environment.fixture.js';

let env: ExtensionEnvironment;
beforeEach(async () => {
  env = await ExtensionEnvironment.start();
});
afterEach(() => env.stop());

const settings = (text: string) => configMap('settings', { text });
const secrets = () => env.cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace: SYSTEM_NAMESPACE });

describe('the service account of a ClusterExtension', () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'miller', namespace: NAMESPACE } };
  const RBAC = 'rbac.authorization.k8s.io';
  const grant = (...rules: object[]) => [
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'miller' }, rules },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'miller' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'miller' },
      subjects: [{ kind: 'ServiceAccount', name: 'miller', namespace: NAMESPACE }],
    },
  ];
  const finalizers = {
    apiGroups: ['olm.operatorframework.io'],
    resources: ['clusterobjectsets/finalizers'],
    verbs: ['update'],
  };
  const configMaps = {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'create', 'patch', 'update', 'delete'],
  };
  const writers = () =>
    env.cluster.requests
      .writes()
      .flatMap(({ resource, impersonatedUser }) => (resource === 'configmaps' ? [impersonatedUser] : []));

  it('that does not exist is reported, and nothing is applied', async () => {
    env.extension({ serviceAccount: { name: 'miller' } });
    await env.offer('1.0.0', quietCsv(), settings('steady'));
    const text =
      'operation cannot proceed due to the following validation error(s): service account "miller" not found in namespace "mill"';
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(env.conditions()).toMatchObject({
      Installed: `Unknown Failed: ${text}`,
      Progressing: `True Retrying: ${text}`,
    });
    expect(env.lifecycles()).toEqual([]);
    env.add(account, ...grant(finalizers, configMaps));
    await env.install('1.0.0');
    expect(env.conditions()).toMatchObject({ Progressing: 'True Succeeded: Revision 1.0.0 has rolled out.' });
  });

  it('writes the objects of the bundle, and the hub its own', async () => {
    env.add(account, ...grant(finalizers, configMaps));
    env.extension({ serviceAccount: { name: 'miller' } });
    await env.install('1.0.0', quietCsv(), settings('steady'));
    expect(new Set(writers())).toEqual(new Set(['system:serviceaccount:mill:miller']));
    const others = env.cluster.requests.writes().filter(({ resource }) => resource !== 'configmaps');
    expect(others.filter(({ impersonatedUser }) => impersonatedUser !== undefined)).toEqual([]);
  });

  it('without enough rights is reported with all that it lacks, before anything is stored', async () => {
    env.add(account, ...grant(finalizers));
    env.extension({ serviceAccount: { name: 'miller' } });
    await env.offer('1.0.0', quietCsv(), settings('steady'));
    expect(await env.pass()).toMatchObject({ result: 'waits', againAfterMs: 15_000 });
    expect(env.conditions()['Progressing']).toBe(
      [
        'True Retrying: error for resolved bundle "gear.v1.0.0" with version "1.0.0": pre-authorization failed: service account requires the following permissions to manage cluster extension:',
        '  Namespace:"mill" APIGroups:[] Resources:[configmaps] ResourceNames:[settings] Verbs:[delete,get,patch,update]',
        '  Namespace:"mill" APIGroups:[] Resources:[configmaps] Verbs:[create]',
      ].join('\n'),
    );
    expect(env.lifecycles()).toEqual([]);
    expect(secrets()).toEqual([]);
  });
});
