import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BareCluster } from '../bare-cluster.js';
import { objectAt, stringAt } from '../objects/json.js';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const web = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

describe('what kubectl asks beside objects', () => {
  let bare: BareCluster;
  beforeEach(() => {
    bare = new BareCluster();
    bare.send({ method: 'POST', path: DEPLOYMENTS, body: web });
  });
  afterEach(() => bare.stop());

  const scale = { path: `${DEPLOYMENTS}/web/scale` };
  const merge = 'application/merge-patch+json';
  const replicas = () => {
    const { body } = bare.send({ method: 'GET', path: `${DEPLOYMENTS}/web` });
    return objectAt(body, 'spec')?.replicas;
  };

  it('the scale of a Deployment is read, patched and replaced', () => {
    expect(bare.send({ method: 'GET', ...scale }).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { selector: 'app=web' },
    });
    const patched = bare.send({ method: 'PATCH', ...scale, contentType: merge, body: { spec: { replicas: 5 } } });
    expect([patched.body.kind, replicas()]).toEqual(['Scale', 5]);
    const { body } = bare.send({ method: 'GET', ...scale });
    expect(bare.send({ method: 'PUT', ...scale, body: { ...body, spec: {} } }).code).toBe(200);
    expect(replicas()).toBe(0);
    expect(bare.send({ method: 'PUT', ...scale, body }), 'made from an older state').toMatchObject({ code: 409 });
  });

  it.each([
    { because: 'fewer than none', body: { spec: { replicas: -1 } }, code: 422 },
    { because: 'no number', body: { spec: { replicas: 'many' } }, code: 400 },
  ])('a scale is refused: $because', ({ body, code }) => {
    expect(bare.send({ method: 'PATCH', ...scale, contentType: merge, body }).code).toBe(code);
    expect(replicas()).toBe(2);
  });

  it.each(['log', 'exec', 'attach', 'portforward'])('pods/%s is refused with the reason', (subresource) => {
    const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    bare.send({ method: 'POST', path: '/api/v1/namespaces/default/pods', body: pod });
    const answer = bare.send({ method: 'GET', path: `/api/v1/namespaces/default/pods/p/${subresource}` });
    expect(answer).toMatchObject({ code: 501, body: { message: expect.stringContaining('runs no containers') } });
    expect(bare.send({ method: 'GET', path: `/api/v1/namespaces/default/pods/q/${subresource}` }).code).toBe(404);
  });

  it('the rules of a user are those that are bound to it', () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
    bare.send({ method: 'POST', path: `${rbac}/roles`, body: { metadata: { name: 'reader' }, rules } });
    const binding = { metadata: { name: 'reader' }, roleRef, subjects };
    bare.send({ method: 'POST', path: `${rbac}/rolebindings`, body: binding });
    const rulesIn = (namespace: string) => {
      const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
      const headers = { 'impersonate-user': 'jane' };
      return bare.send({ method: 'POST', path, headers, body: { spec: { namespace } } }).body.status;
    };
    const pods = expect.objectContaining({ resources: ['pods'], verbs: ['get'] });
    expect(rulesIn('default')).toMatchObject({ resourceRules: expect.arrayContaining([pods]) });
    expect(rulesIn('kube-system')).toMatchObject({ resourceRules: expect.not.arrayContaining([pods]) });
  });

  it('the schemas of built-in kinds and of custom resources are described', () => {
    const schema = (path: string, name: string) => {
      const { body } = bare.send({ method: 'GET', path });
      return objectAt(body, 'components', 'schemas', name, 'properties');
    };
    const spec = schema('/openapi/v3/apis/apps/v1', 'io.k8s.api.apps.v1.DeploymentSpec');
    expect(stringAt(spec, 'replicas', 'description')).toMatch(/^Number of desired pods/);
    const names = { plural: 'buoys', singular: 'buoy', kind: 'Buoy', listKind: 'BuoyList' };
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', description: 'Where it lies.' } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
    bare.cluster.create({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'buoys.sea.example.com' },
      spec: { group: 'sea.example.com', scope: 'Namespaced', names, versions },
    });
    return expect
      .poll(() => schema('/openapi/v3/apis/sea.example.com/v1', 'com.example.sea.v1.Buoy'))
      .toMatchObject({ spec: { description: 'Where it lies.' }, metadata: {}, kind: { type: 'string' } });
  });
});
