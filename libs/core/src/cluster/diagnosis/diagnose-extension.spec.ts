import { describe, expect, it } from 'vitest';
import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { diagnoseExtension } from './diagnose-extension.js';
import { objectsInTheWay } from './extension-in-the-way.js';

const CRD = 'mills.example.com';
const lastTransitionTime = '2026-01-01T00:00:00Z';
const extension = (message: string, installed = 'False'): KubernetesObject => ({
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterExtension',
  metadata: { name: 'mill' },
  status: {
    conditions: [
      { type: 'Installed', status: installed, reason: 'Failed', message: 'No bundle installed', lastTransitionTime },
      { type: 'Progressing', status: 'True', reason: 'Retrying', message, lastTransitionTime },
    ],
  },
});
const CRD_API = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const crd: KubernetesObject = { ...CRD_API, metadata: { name: CRD } };
const commands = (todo: readonly string[]) => todo.map((one) => /kubectl .*/.exec(one)?.[0]);
const csv: ClusterServiceVersion = {
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace: 'team' },
  spec: { customresourcedefinitions: { owned: [{ name: CRD, version: 'v1', kind: 'Mill' }] } },
};
const refused = `error for resolved bundle: validating upgrade for CRD "${CRD}": existingFieldRemoval: removed field`;
const collision = `revision object collisions in phase "crds"\nObject CustomResourceDefinition.apiextensions.k8s.io/v1 /${CRD}\nAction: "Collision"\nConflicting Owner: none; it was there before`;

describe('a ClusterExtension whose CRD is there already', () => {
  it.each([
    { because: 'the check of the CRD', message: refused },
    { because: 'the collision', message: collision },
  ])('names the operator that owns it, by $because, and how the extension gets it', ({ message }) => {
    const { standing, because, todo } = diagnoseExtension(extension(message), { csvs: [csv] });
    expect(standing).toBe('blocked');
    expect(because.at(-1)).toContain(`${CRD} belongs to ClusterServiceVersion team/mill.v1`);
    expect(commands(todo)).toEqual([
      'kubectl delete clusterextension mill',
      `kubectl get ${CRD} -A -o yaml > ${CRD}.yaml`,
      'kubectl -n team delete csv mill.v1',
      `kubectl delete crd ${CRD}`,
    ]);
  });

  it('says that an uninstalled operator has left it where none owns it', () => {
    const { because, todo } = diagnoseExtension(extension(refused), { csvs: [], inTheWay: [crd] });
    expect(because.at(-1)).toContain('no installed operator owns it');
    expect(commands(todo)).toEqual([`kubectl get ${CRD} -A -o yaml > ${CRD}.yaml`, `kubectl delete crd ${CRD}`]);
  });

  it('never advises to delete the CRD of the extension itself, or of another ClusterExtension', () => {
    expect(objectsInTheWay(extension(refused, 'True'))).toEqual([]);
    const owner = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterObjectSet', name: 'other-1', uid: 'u' };
    const owned = { ...CRD_API, metadata: { name: CRD, ownerReferences: [{ ...owner, controller: true }] } };
    for (const found of [
      diagnoseExtension(extension(refused, 'True'), { csvs: [] }),
      diagnoseExtension(extension(refused), { csvs: [], inTheWay: [owned] }),
      diagnoseExtension(extension(refused), { csvs: [] }),
      diagnoseExtension(extension(collision.replace('none; it was there before', 'ClusterObjectSet "other-1"')), {
        csvs: [],
      }),
    ]) {
      expect(found.todo.join()).not.toContain('delete');
    }
  });
});

describe('a ClusterExtension whose objects are there already', () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' };
  const collides = (kind: string, name: string, namespace = '') =>
    `revision object collisions in phase 0\nObject ${kind} ${namespace}/${name}\nAction: "Collision"\nConflicting Owner: none; it was there before`;
  const byCsv = { ownerReferences: [{ ...CSV_API, name: 'mill.v1', uid: 'u' }] };
  const accountOf = (metadata: object): KubernetesObject => ({
    ...account,
    metadata: { name: 'mill', namespace: 'team', ...metadata },
  });
  const onAccount = collides('ServiceAccount.v1', 'mill', 'team');

  it('names the operator that owns its ServiceAccount', () => {
    const { standing, because, todo } = diagnoseExtension(extension(onAccount), {
      csvs: [csv],
      inTheWay: [accountOf(byCsv)],
    });
    expect(standing).toBe('blocked');
    expect(because.at(-1)).toContain('ServiceAccount team/mill belongs to ClusterServiceVersion team/mill.v1');
    expect(commands(todo)).toEqual(['kubectl delete clusterextension mill', 'kubectl -n team delete csv mill.v1']);
  });

  it('finds the operator of an object without a namespace by its labels', () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const labels = { 'olm.owner': 'mill.v1', 'olm.owner.kind': CSV_API.kind, 'olm.owner.namespace': 'team' };
    const role = { apiVersion, kind: 'ClusterRole', metadata: { name: 'mill', labels } };
    const message = collides(`ClusterRole.${apiVersion}`, 'mill');
    const { todo } = diagnoseExtension(extension(message), { csvs: [], inTheWay: [role] });
    expect(commands(todo)).toContain('kubectl -n team delete csv mill.v1');
  });

  it('never advises to delete a ClusterExtension of which something is installed', () => {
    const { todo } = diagnoseExtension(extension(onAccount, 'True'), { csvs: [], inTheWay: [accountOf(byCsv)] });
    expect(commands(todo)).toEqual(['kubectl -n team delete csv mill.v1']);
  });

  it('offers to delete what belongs to nothing, but never what holds other objects', () => {
    const loose = diagnoseExtension(extension(onAccount), { csvs: [], inTheWay: [accountOf({})] });
    expect(commands(loose.todo)).toEqual(['kubectl -n team delete serviceaccount mill']);
    const space = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
    const message = collides('Namespace.v1', 'team');
    const held = diagnoseExtension(extension(message), { csvs: [], inTheWay: [space] });
    expect(held.todo.join()).not.toContain('kubectl');
  });

  it('is explained elsewhere where its objects were not read', () => {
    const { todo } = diagnoseExtension(extension(onAccount), { csvs: [csv] });
    expect(todo).toEqual(['flotilla explain extension mill']);
  });
});

describe('a ClusterExtension that is stopped', () => {
  const catalog = { packageName: 'mill', version: '1.0.0' };
  const wanting = (message: string, changes: object = {}): KubernetesObject => {
    const bare = extension(message, 'True');
    return {
      ...bare,
      spec: { namespace: 'team', source: { sourceType: 'Catalog', catalog: { ...catalog, ...changes } } },
      status: { ...Object(bare['status']), install: { bundle: { name: 'mill.v2', version: '2.0.0' } } },
    };
  };
  const back =
    'error upgrading from currently installed version "2.0.0": no bundles found for package "mill" matching version "1.0.0"';
  const revision = (number: number, version: string): KubernetesObject => ({
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterObjectSet',
    metadata: { name: `mill-${number}`, annotations: { 'olm.operatorframework.io/bundle-version': version } },
    spec: { revision: number },
  });

  it('on the way back to an earlier version gets the two ways to go there', () => {
    const revisions = [revision(1, '1.0.0'), revision(2, '1.0.0'), revision(3, '2.0.0')];
    const { todo } = diagnoseExtension(wanting(back), { csvs: [], revisions });
    expect(commands(todo)).toEqual([
      `kubectl patch clusterextension mill --type merge -p '{"spec":{"source":{"catalog":{"upgradeConstraintPolicy":"SelfCertified"}}}}'`,
      'kubectl annotate clusterextension mill flotilla.dev/rollback-to-revision=2',
    ]);
  });

  it.each([
    { because: 'the version is a later one', message: back, changes: { version: '3.0.0' } },
    {
      because: 'the way back is allowed already',
      message: back,
      changes: { upgradeConstraintPolicy: 'SelfCertified' },
    },
    { because: 'resolution failed by something else', message: 'catalog "a" is not being served', changes: {} },
  ])('is not advised to go back where $because', ({ message, changes }) => {
    const { todo } = diagnoseExtension(wanting(message, changes), { csvs: [] });
    expect(todo.join()).not.toContain('kubectl');
  });

  it.each([
    {
      by: 'an annotation that names no revision',
      message:
        'annotation flotilla.dev/rollback-to-revision names revision "9", which does not exist; existing revisions: 1',
      wanted: ['kubectl annotate clusterextension mill flotilla.dev/rollback-to-revision-'],
    },
    {
      by: 'a CRD that would lose a field',
      message: refused,
      wanted: [
        `kubectl get ${CRD} -A -o yaml > ${CRD}.yaml`,
        `kubectl patch clusterextension mill --type merge -p '{"spec":{"install":{"preflight":{"crdUpgradeSafety":{"enforcement":"None"}}}}}'`,
      ],
    },
    {
      by: 'a missing namespace',
      message: 'phase 0 validation error: phase "identity": namespaces "team" not found',
      wanted: ['kubectl create namespace team'],
    },
  ])('by $by gets the command that helps', ({ message, wanted }) => {
    expect(commands(diagnoseExtension(wanting(message), { csvs: [] }).todo)).toEqual(wanted);
  });

  const invalid = (field: string) => `invalid ClusterExtension configuration: invalid configuration: ${field}`;
  it.each<[message: string, installed: string, says: RegExp[]]>([
    ['unsupported resource "limits" with kind "LimitRange"', 'False', [/^The bundle is at fault/]],
    ['unsupported bundle: apiServiceDefintions are not supported', 'False', [/^The bundle is at fault/]],
    [
      "bundle contains duplicate custom resource definition 'mills.example.com'",
      'True',
      [/^The bundle is at fault.* another version in spec\.source\.catalog\.version/],
    ],
    [
      invalid('unknown field "watchNamespace"'),
      'False',
      [/: kubectl patch clusterextension mill --type merge -p '\{"spec":\{"config":null\}\}'$/],
    ],
    [
      invalid('required field "watchNamespace" is missing'),
      'False',
      [/^Set spec\.config\.inline\.watchNamespace .*: team if/],
    ],
    [invalid('invalid format for field "watchNamespace": \'shop\' is not valid'), 'False', [/: team if/]],
    [invalid('unknown field "colour"'), 'False', [/^Correct the named field of spec\.config/]],
    [
      'no bundles found for package "ghost"',
      'False',
      [/ClusterCatalog with package ghost/, /packageName cannot be changed.*: kubectl delete clusterextension mill$/],
    ],
    ['no bundles found for package "ghost"', 'True', [/ClusterCatalog with package ghost/]],
    ['no bundles found for package "mill" matching version "9.0.0"', 'False', [/^Correct the named cause/]],
    ['no bundles found for package "mill" in channels [fast]', 'False', [/^Correct the named cause/]],
  ])('%s (installed: %s) is advised what a user can do', (message, installed, says) => {
    const stopped = { ...wanting(message), status: extension(message, installed)['status'] };
    const conditions = Object(stopped.status).conditions;
    if (message.startsWith('invalid Cl')) conditions[1].reason = 'InvalidConfiguration';
    const { todo } = diagnoseExtension(stopped, { csvs: [] });
    expect(todo).toEqual(says.map((one) => expect.stringMatching(one)));
  });

  it('keeps its other configuration where one field has to go', () => {
    const stopped = wanting(invalid('unknown field "watchNamespace"'));
    const config = { configType: 'Inline', inline: { watchNamespace: 'shop', deploymentConfig: {} } };
    const { todo } = diagnoseExtension({ ...stopped, spec: { ...Object(stopped['spec']), config } }, { csvs: [] });
    expect(todo.join()).toMatch(/-p '\{"spec":\{"config":\{"inline":\{"watchNamespace":null\}\}\}\}'$/);
  });

  it('by a catalog that a user has switched off is advised to switch it on, where its selector takes that', () => {
    const off = (name: string): KubernetesObject => ({
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      metadata: { name, labels: { 'olm.operatorframework.io/metadata.name': name } },
      spec: { availabilityMode: 'Unavailable' },
    });
    const selector = { matchLabels: { 'olm.operatorframework.io/metadata.name': 'main' } };
    const message = 'no bundles found for package "mill"';
    const around = { csvs: [], clusterCatalogs: [off('main'), off('spare')] };
    const { todo } = diagnoseExtension(wanting(message, { selector }), around);
    expect(commands(todo.slice(0, 1))).toEqual([
      `kubectl patch clustercatalog main --type merge -p '{"spec":{"availabilityMode":"Available"}}'`,
    ]);
    expect(todo.join()).not.toContain('spare');
  });
});
