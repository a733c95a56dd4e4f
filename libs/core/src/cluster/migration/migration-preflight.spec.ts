import { describe, expect, it } from 'vitest';
import { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { OperatorGroup } from '../../kernel/api/operator-group.js';
import { Subscription } from '../../kernel/api/subscription.js';
import { type MigrationFacts, migrationFindings } from './migration-preflight.js';
import { plannedExtension } from './planned-extension.js';

const subscription = (spec: object = {}, status: object = {}, annotations?: object) =>
  Subscription.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'lamp-sub', namespace: 'lights', ...(annotations && { annotations }) },
    spec: { name: 'lamp', channel: 'stable', source: 'samples', sourceNamespace: 'olm', ...spec },
    status: { installedCSV: 'lamp.v1', currentCSV: 'lamp.v1', ...status },
  });
const csv = (spec: object = {}, phase = 'Succeeded') =>
  ClusterServiceVersion.parse({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'lamp.v1', namespace: 'lights' },
    spec: { version: '1.0.0', ...spec },
    status: { phase },
  });
const group = (namespaces: string[], spec: object = {}) =>
  OperatorGroup.parse({
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'all', namespace: 'lights' },
    spec,
    status: { namespaces },
  });
const entry = {
  ...{ name: 'lamp.v1', channel: 'stable', version: '1.0.0', replaces: '', skips: [], skipRange: '', properties: [] },
  source: { image: 'registry.test/lamp:1' },
};
const READY: MigrationFacts = {
  subscription: subscription(),
  csv: csv(),
  group: group(['']),
  entry,
  unread: undefined,
  otherSubscriptions: [],
  operatorConditions: [],
  copies: 0,
  extensions: [],
  missingKinds: [],
  catalogs: ['samples'],
};
const webhookdefinitions = [{ type: 'ValidatingAdmissionWebhook', generateName: 'v', deploymentName: 'lamp' }];

describe('the preflight of a move from OLM Classic to OLM v1', () => {
  it('finds nothing where all is well', () => {
    expect(migrationFindings(READY)).toEqual([]);
  });

  it.each<[because: string, facts: Partial<MigrationFacts>, text: string, todo: RegExp]>([
    [
      'nothing is installed',
      { subscription: subscription({}, { installedCSV: '' }) },
      'refusal: Subscription lights/lamp-sub has installed nothing',
      /explain subscription lamp-sub -n lights/,
    ],
    ['its CSV is gone', { csv: undefined }, 'refusal: ClusterServiceVersion lamp.v1 does not exist', /explain/],
    ['its CSV is not well', { csv: csv({}, 'Failed') }, 'refusal: ClusterServiceVersion lamp.v1 is Failed', /explain/],
    [
      'the catalog has dropped the bundle',
      { entry: undefined },
      'refusal: bundle lamp.v1 is not in the catalog of the Subscription',
      /restore the bundle/,
    ],
    [
      'its catalog is out of reach',
      { entry: undefined, unread: 'no answer' },
      'refusal: its catalog cannot be read from here (no answer)',
      /--hub/,
    ],
    [
      'the bundle is no image',
      { entry: { ...entry, source: { inline: 'sha256:1' } } },
      'refusal: bundle lamp.v1 has no image: its manifests are in the catalog itself',
      /keep/,
    ],
    [
      'it needs a package',
      { entry: { ...entry, properties: [{ type: 'olm.package.required', value: { packageName: 'oil' } }] } },
      'refusal: it needs others (package oil), and OLM v1 neither installs nor accepts dependencies',
      /keep/,
    ],
    [
      'it is a dependency',
      { subscription: subscription({}, {}, { 'olm.generated-by': 'install-1' }) },
      'refusal: it was installed as a dependency (plan install-1)',
      /keep/,
    ],
    [
      'it has webhooks',
      { csv: csv({ webhookdefinitions }) },
      'refusal: it has webhooks: their certificates would change under running pods',
      /uninstall/,
    ],
    [
      'it has APIServices',
      { csv: csv({ apiservicedefinitions: { owned: [{ name: 'a.b', group: 'b', version: 'v1', kind: 'A' }] } }) },
      'refusal: it has APIServices, and OLM v1 does not install them',
      /keep/,
    ],
    ['there is no one group', { group: undefined }, 'refusal: its namespace has no single OperatorGroup', /leave one/],
    [
      'it watches several namespaces',
      { group: group(['a', 'b']) },
      'refusal: it watches 2 namespaces; a ClusterExtension watches one or all',
      /widen/,
    ],
    [
      'it is scoped to an account',
      { group: group([''], { serviceAccountName: 'tenant' }) },
      'refusal: OperatorGroup all gives it the rights of service account tenant alone',
      /serviceAccountName/,
    ],
    [
      'another namespace has it',
      { otherSubscriptions: ['b/lamp'] },
      'refusal: Subscription b/lamp has package lamp, too',
      /delete one/,
    ],
    [
      'an extension has it',
      { extensions: ['lamp'] },
      'refusal: ClusterExtension lamp has that name or package',
      /explain extension lamp/,
    ],
    [
      'it holds back updates',
      { operatorConditions: ['Upgradeable=False'] },
      'refusal: its OperatorCondition says Upgradeable=False, and OLM v1 has no OperatorConditions',
      /wait/,
    ],
    [
      'OLM v1 is not there',
      { missingKinds: ['ClusterExtension'] },
      'refusal: the cluster does not serve kind ClusterExtension',
      /hub/,
    ],
    [
      'copies go',
      { copies: 2 },
      'note: 2 copies of its ClusterServiceVersion in other namespaces will be deleted',
      /inform/,
    ],
    [
      'a human approves',
      { subscription: subscription({ installPlanApproval: 'Manual' }) },
      'note: approval is Manual: the ClusterExtension allows version 1.0.0 alone',
      /spec.source.catalog.version/,
    ],
    [
      'an update waits',
      { subscription: subscription({}, { currentCSV: 'lamp.v2' }) },
      'note: the waiting update to lamp.v2 is dropped',
      /delivers/,
    ],
    [
      'no ClusterCatalog has it',
      { catalogs: [] },
      'note: no ClusterCatalog has package lamp: the installed version stays, without updates',
      /apply a ClusterCatalog/,
    ],
    [
      'a selector was set',
      { subscription: subscription({ config: { selector: {} } }) },
      'note: selector of spec.config is left out: it has never had an effect',
      /nothing/,
    ],
  ])('where %s', (_because, facts, text, todo) => {
    const findings = migrationFindings({ ...READY, ...facts });
    expect(findings.map((one) => `${one.kind}: ${one.text}`)).toEqual([text]);
    expect(findings[0]?.todo).toMatch(todo);
  });

  it('puts what refuses first', () => {
    const findings = migrationFindings({ ...READY, copies: 1, extensions: ['lamp'] });
    expect(findings.map(({ kind }) => kind)).toEqual(['refusal', 'note']);
  });
});

describe('the ClusterExtension of a Subscription', () => {
  it.each([
    { because: 'all namespaces', of: subscription(), in: group(['']), spec: {} },
    {
      because: 'one namespace',
      of: subscription(),
      in: group(['lights']),
      spec: { config: { inline: { watchNamespace: 'lights' } } },
    },
    {
      because: 'a configured Deployment',
      of: subscription({ config: { selector: {}, nodeSelector: { a: 'b' } } }),
      in: group(['']),
      spec: { config: { inline: { deploymentConfig: { nodeSelector: { a: 'b' } } } } },
    },
    {
      because: 'Manual approval',
      of: subscription({ installPlanApproval: 'Manual' }),
      in: group(['']),
      spec: { source: { catalog: { version: '1.0.0', channels: ['stable'] } } },
    },
  ])('with $because', ({ of, in: inGroup, spec }) => {
    const extension = plannedExtension(of, inGroup, '1.0.0');
    expect(extension).toMatchObject({
      metadata: {
        name: 'lamp',
        annotations: { 'olm.operatorframework.io/migrated-from-subscription': 'lights/lamp-sub' },
      },
      spec: { namespace: 'lights', source: { catalog: { packageName: 'lamp' } }, ...spec },
    });
    expect(extension.spec.serviceAccount).toBeUndefined();
  });
});
