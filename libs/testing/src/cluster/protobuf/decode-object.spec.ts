import { describe, expect, it } from 'vitest';
import { BareCluster } from '../bare-cluster.js';
import { decodeProtobuf, PROTOBUF } from './decode-object.js';

/** Bodies that kubectl v1.32.4 sent for the commands beside them. */
const recorded = [
  {
    command: 'create namespace lights',
    body: 'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEh4KFgoGbGlnaHRzEgAaACIAKgAyADgAQgASABoCCgAaACIA',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lights' }, spec: {}, status: {} },
  },
  {
    command: 'create secret generic lamp --from-literal=oil=whale',
    body: 'azhzAAoMCgJ2MRIGU2VjcmV0EiwKGgoEbGFtcBIAGgZsaWdodHMiACoAMgA4AEIAEgwKA29pbBIFd2hhbGUaABoAIgA=',
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'lamp', namespace: 'lights' },
      data: { oil: 'd2hhbGU=' },
    },
  },
  {
    command: 'create deployment web --image=nginx --replicas=0 --port=80',
    body: [
      'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50Er4BCiUKA3dlYhIAGgZsaWdodHMiACoAMgA4AEIAWgoKA2FwcBIDd2ViEoYBCAAS',
      'DAoKCgNhcHASA3dlYhpsChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkwSLgoFbmdpbngSBW5naW54KgAyCgoAEAAYUCIA',
      'KgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=',
    ].join(''),
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'lights', labels: { app: 'web' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'nginx', image: 'nginx', resources: {}, ports: [{ containerPort: 80 }] }] },
        },
        strategy: {},
      },
      status: {},
    },
  },
  {
    command: 'create clusterrole keeper --verb=get --resource=nodes --non-resource-url=/metrics',
    body: [
      'azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRI5ChYKBmtlZXBlchIAGgAiACoAMgA4AEIA',
      'Eg4KA2dldBIAGgVub2RlcxIPCgNnZXQqCC9tZXRyaWNzGgAiAA==',
    ].join(''),
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'keeper' },
      rules: [
        { verbs: ['get'], apiGroups: [''], resources: ['nodes'] },
        { verbs: ['get'], nonResourceURLs: ['/metrics'] },
      ],
    },
  },
  {
    command: 'create clusterrolebinding keeper --clusterrole=keeper --serviceaccount=lights:keeper',
    body: [
      'azhzAAoyChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEhJDbHVzdGVyUm9sZUJpbmRpbmcSbgoWCgZrZWVwZXISABoAIgAq',
      'ADIAOABCABIiCg5TZXJ2aWNlQWNjb3VudBIAGgZrZWVwZXIiBmxpZ2h0cxowChlyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvEgtD',
      'bHVzdGVyUm9sZRoGa2VlcGVyGgAiAA==',
    ].join(''),
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'keeper' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'keeper' },
      subjects: [{ kind: 'ServiceAccount', name: 'keeper', namespace: 'lights' }],
    },
  },
  {
    command: 'create quota little --hard=pods=4,cpu=500m',
    body: [
      'azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRI+ChwKBmxpdHRsZRIAGgZsaWdodHMiACoAMgA4AEIAEhwKDQoDY3B1EgYKBDUwMG0K',
      'CwoEcG9kcxIDCgE0GgAaACIA',
    ].join(''),
    object: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'little', namespace: 'lights' },
      spec: { hard: { cpu: '500m', pods: '4' } },
      status: {},
    },
  },
  {
    command: 'create service clusterip web --tcp=80:https',
    body: [
      'azhzAAoNCgJ2MRIHU2VydmljZRJ0CiUKA3dlYhIAGgZsaWdodHMiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkcKIAoIODAtaHR0cHMS',
      'A1RDUBhQIgsIARAAGgVodHRwcygAEgoKA2FwcBIDd2ViGgAiCUNsdXN0ZXJJUDoAQgBSAFoAYABoABoCCgAaACIA',
    ].join(''),
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web', namespace: 'lights', labels: { app: 'web' } },
      spec: {
        type: 'ClusterIP',
        selector: { app: 'web' },
        ports: [{ name: '80-https', protocol: 'TCP', port: 80, targetPort: 'https' }],
      },
      status: { loadBalancer: {} },
    },
  },
  {
    command: 'create cronjob wind --image=busybox --schedule="*/5 * * * *" -- date',
    body: [
      'azhzAAoTCghiYXRjaC92MRIHQ3JvbkpvYhKwAQoaCgR3aW5kEgAaBmxpZ2h0cyIAKgAyADgAQgASjwEKCyovNSAqICogKiAqGgAq',
      'fgoUCgR3aW5kEgAaACIAKgAyADgAQgASZjJkChAKABIAGgAiACoAMgA4AEIAElASKQoEd2luZBIHYnVzeWJveBoEZGF0ZSoAQgBq',
      'AHIAgAEAiAEAkAEAogEAGglPbkZhaWx1cmUyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoAGgAiAA==',
    ].join(''),
    object: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'wind', namespace: 'lights' },
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: {
          metadata: { name: 'wind' },
          spec: {
            template: {
              metadata: {},
              spec: {
                restartPolicy: 'OnFailure',
                containers: [{ name: 'wind', image: 'busybox', resources: {}, command: ['date'] }],
              },
            },
          },
        },
      },
      status: {},
    },
  },
  {
    command: 'create poddisruptionbudget web --selector=app=web --min-available=50%',
    body: [
      'azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSQgoZCgN3ZWISABoGbGlnaHRzIgAqADIAOABCABIZCgkIARAA',
      'GgM1MCUSDAoKCgNhcHASA3dlYhoKCAAYACAAKAAwABoAIgA=',
    ].join(''),
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'lights' },
      spec: { minAvailable: '50%', selector: { matchLabels: { app: 'web' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
  },
  {
    command: 'auth can-i create pods',
    body: [
      'azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPgoQCgASABoAIgAqADIAOABC',
      'ABIgCh4KBmxpZ2h0cxIGY3JlYXRlGgAiACoEcG9kczIAOgAaCAgAEgAaACAAGgAiAA==',
    ].join(''),
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      metadata: {},
      spec: { resourceAttributes: { namespace: 'lights', verb: 'create', resource: 'pods' } },
      status: { allowed: false },
    },
  },
  {
    command: 'create token keeper --duration=600s --audience=boats',
    body: [
      'azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIkChAKABIAGgAiACoAMgA4AEIAEgoKBWJvYXRz',
      'INgEGgQKABIAGgAiAA==',
    ].join(''),
    object: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: {},
      spec: { expirationSeconds: 600, audiences: ['boats'] },
      status: { token: '', expirationTimestamp: null },
    },
  },
];

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);
/** One length-delimited field. */
const field = (number: number, value: Buffer | string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
};
const envelope = (apiVersion: string, kind: string, object: Buffer): Buffer => {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, object)]);
};

describe('protobuf bodies', () => {
  it.each(recorded)('kubectl $command', ({ body, object }) => {
    expect(decodeProtobuf(Buffer.from(body, 'base64'))).toEqual(object);
  });

  it('fields of a newer Kubernetes are skipped', () => {
    const metadata = Buffer.concat([field(1, 'lamp'), field(15, 'later')]);
    const object = decodeProtobuf(envelope('v1', 'ConfigMap', Buffer.concat([field(1, metadata), field(14, 'later')])));
    expect(object).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lamp' } });
  });

  it('a key named __proto__ is data', () => {
    const entry = Buffer.concat([field(1, '__proto__'), field(2, 'x')]);
    const object = decodeProtobuf(envelope('v1', 'ConfigMap', field(2, entry)));
    expect(Object.keys(object?.data ?? {})).toEqual(['__proto__']);
  });

  let deep: Buffer = Buffer.alloc(0);
  for (let level = 0; level < 150; level += 1) deep = field(28, deep);
  const nested = field(2, field(7, field(4, field(1, deep))));

  it.each([
    {
      because: 'it does not begin like one',
      body: Buffer.from('{}'),
      says: /does not appear to be a protobuf message/,
    },
    {
      because: 'it ends too early',
      body: Buffer.from(recorded[0]?.body ?? '', 'base64').subarray(0, -3),
      says: /unexpected EOF/,
    },
    {
      because: 'a number stands for a text',
      body: envelope('v1', 'ConfigMap', Buffer.from([8, 1])),
      says: /wrong wireType/,
    },
    {
      because: 'it nests too deep',
      body: envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', nested),
      says: /limit/,
    },
  ])('refused as a bad request: $because', ({ body, says }) => {
    const bare = new BareCluster();
    const headers = { 'content-type': PROTOBUF };
    const sent = { method: 'POST', path: '/api/v1/namespaces/default/configmaps', headers, body: undefined };
    expect(() => decodeProtobuf(body)).toThrow(says);
    expect(bare.send({ ...sent, body: body.toString('latin1') })).toMatchObject({ code: 400 });
    bare.stop();
  });

  it('custom resources are taken as JSON or YAML alone, as by the API server', () => {
    const bare = new BareCluster();
    const body = envelope('example.com/v1', 'Buoy', field(1, field(1, 'x'))).toString('latin1');
    const sent = { method: 'POST', path: '/api/v1/namespaces/default/configmaps', contentType: PROTOBUF, body };
    expect(bare.send(sent)).toMatchObject({ code: 415, body: { reason: 'UnsupportedMediaType' } });
    bare.stop();
  });
});
