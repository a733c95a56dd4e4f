import { describe, expect, it } from 'vitest';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import { changedFields } from './changed-fields.js';
import { reviewPlan } from './review-plan.js';

const step = (kind: string, name: string, body: object, group = ''): InstallPlanStep => ({
  resolving: 'lamp.v1.1.0',
  status: 'Unknown',
  resource: {
    ...{ sourceName: 'samples', sourceNamespace: 'olm', group, version: 'v1', kind, name },
    manifest: JSON.stringify({ apiVersion: group === '' ? 'v1' : `${group}/v1`, kind, metadata: { name }, ...body }),
  },
});

type CsvParts = Readonly<{ image?: string; verbs?: readonly string[]; privileged?: boolean }>;
const csvBody = ({ image = 'lamp:1', verbs = ['get'], privileged = false }: CsvParts) => ({
  spec: {
    install: {
      strategy: 'deployment',
      spec: {
        deployments: [
          {
            name: 'lamp',
            spec: { template: { spec: { containers: [{ name: 'main', image, securityContext: { privileged } }] } } },
          },
        ],
        clusterPermissions: [
          { serviceAccountName: 'lamp', rules: [{ apiGroups: [''], resources: ['pods'], verbs: [...verbs] }] },
        ],
      },
    },
  },
});
const csvStep = (parts: CsvParts): InstallPlanStep => {
  const made = step('ClusterServiceVersion', 'lamp.v1.1.0', csvBody(parts), 'operators.coreos.com');
  return { ...made, resource: { ...made.resource, version: 'v1alpha1' } };
};
const replaced = { metadata: { name: 'lamp.v1.0.0' }, ...csvBody({}) };

const definition = (...served: readonly string[]) => ({
  spec: { versions: served.map((name) => ({ name, served: true, storage: true })) },
});
const lampStep = (...served: readonly string[]) =>
  step('CustomResourceDefinition', 'lamps.example.com', definition(...served), 'apiextensions.k8s.io');

const told = (...args: Parameters<typeof reviewPlan>) =>
  reviewPlan(...args).differences.map(
    ({ section, risk, sign, what, text, lines }) =>
      `${section}${risk ? '!' : ''} ${sign} ${what}: ${[text, ...lines].filter((one) => one !== '').join(' | ')}`,
  );

describe('what a plan changes', () => {
  it('shows that a secret changes, and not which one it is', () => {
    const config = (password: string) => ({ spec: { env: [{ name: 'DB_PASSWORD', value: password }, { name: 'A' }] } });
    const more = { ...config('new-one'), login: { password: 'another' } };
    const lines = told([
      { step: step('Lamp', 'a', more, 'example.com'), live: { ...config('old-one'), login: {} } },
      {
        step: step('Lamp', 'b', config('new-one'), 'example.com'),
        live: { spec: { env: [{ name: 'DB_PASSWORD', value: 'old-one' }] } },
      },
    ]).join('\n');
    expect(lines).toContain('- spec.env[0].value: •••• | + spec.env[0].value: ••••');
    expect(lines).toContain('+ login.password: ••••');
    expect(lines).not.toMatch(/old-one|new-one|another/);
  });

  it('a new operator: everything it brings is new, and every permission draws attention', () => {
    expect(told([{ step: csvStep({}), live: undefined }])).toEqual([
      'operators + lamp.v1.1.0: is new',
      'images + lamp:1: ',
      'permissions! + lamp, in the whole cluster: gets one permission | + pods: get',
      'workloads + Deployment lamp: is new',
    ]);
  });

  it('an upgrade is compared with the version that runs, not with nothing', () => {
    expect(told([{ step: csvStep({ image: 'lamp:2' }), live: undefined, replaced }])).toEqual([
      'operators + lamp.v1.1.0: replaces lamp.v1.0.0',
      'images - lamp:1: ',
      'images + lamp:2: ',
      'workloads ~ Deployment lamp: changes | - template.spec.containers[0].image: lamp:1 | + template.spec.containers[0].image: lamp:2',
    ]);
  });

  it.each([
    [['get', 'delete'], ['permissions! + lamp, in the whole cluster: gets one permission | + pods: delete']],
    [['*'], ['permissions! + lamp, in the whole cluster: gets one permission | + pods: *']],
    [[], ['permissions - lamp, in the whole cluster: loses one permission | - pods: get']],
  ])('permissions of %j beside get', (verbs, expected) => {
    const all = told([{ step: csvStep({ verbs }), live: undefined, replaced }]);
    expect(all.filter((line) => line.startsWith('permissions'))).toEqual(expected);
  });

  it('a container that becomes privileged draws attention', () => {
    expect(told([{ step: csvStep({ privileged: true }), live: undefined, replaced }])).toContainEqual(
      expect.stringContaining('workloads! ~ Deployment lamp: changes: container main is privileged'),
    );
  });

  it.each([
    ['is new', ['v1'], undefined, 'crds + lamps.example.com: is new, with v1'],
    ['loses a version', ['v1'], ['v1alpha1', 'v1'], 'crds! ~ lamps.example.com: no longer serves v1alpha1'],
    ['gets a version', ['v1', 'v2'], ['v1'], 'crds ~ lamps.example.com: gets v2'],
  ])('a definition that %s', (_, after, before, expected) => {
    const [line] = told([{ step: lampStep(...after), live: before && definition(...before) }]);
    expect(line).toContain(expected);
  });

  it('a Role that says what the operator asks for is no second permission; any other is one', () => {
    const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
    const role = step('ClusterRole', 'lamp.v1.1-abc', { rules }, 'rbac.authorization.k8s.io');
    const other = step(
      'ClusterRole',
      'reader',
      { rules: [{ ...rules[0], verbs: ['list'] }] },
      'rbac.authorization.k8s.io',
    );
    const steps = [csvStep({}), role, other].map((one) => ({ step: one, live: undefined }));
    expect(told(steps).filter((line) => /ClusterRole/.test(line))).toEqual([
      'permissions! + ClusterRole reader: gets one permission | + pods: list',
      'objects + ClusterRole lamp.v1.1-abc: is new',
    ]);
  });

  it('what is there as the plan wants it counts as unchanged, whatever the API server and others have added', () => {
    const config = step('ConfigMap', 'lamp', { data: { light: 'on' } });
    const live = {
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { light: 'on' } },
      metadata: { name: 'lamp', uid: 'u', ownerReferences: [{}], labels: { by: 'others' } },
    };
    expect(reviewPlan([{ step: config, live }])).toEqual({ differences: [], unchanged: 1 });
    expect(told([{ step: config, live: { ...live, data: { light: 'off' } } }])).toEqual([
      'objects ~ ConfigMap lamp: changes | - data.light: off | + data.light: on',
    ]);
  });

  it('the content of a Secret is never shown', () => {
    const secret = step('Secret', 'lamp', { stringData: { password: 'hunter2' } });
    const all = [undefined, { data: { password: 'b2xk' } }].map((live) => told([{ step: secret, live }]).join());
    expect(all).toEqual([
      'objects + Secret lamp: is new',
      'objects ~ Secret lamp: may change; the content of Secrets is not shown',
    ]);
  });

  it('a step that is no object says so and draws attention', () => {
    const broken = step('ConfigMap', 'lamp', {});
    const text = { ...broken, resource: { ...broken.resource, manifest: '{' } };
    expect(told([{ step: text, live: undefined }])).toEqual([
      'objects! ~ ConfigMap lamp: error parsing step manifest: lamp',
    ]);
  });
});

describe('fields that change', () => {
  it.each([
    ['a flag and its value as two arguments', { args: ['--token', 'hunter2'] }, { args: ['--token', 'hunter3'] }],
    ['an object in a field for secrets', { credentials: { blob: 'hunter2' } }, { credentials: { blob: 'hunter3' } }],
    ['a list of them', { passwords: ['hunter2', 'x'] }, { passwords: ['hunter3', 'x'] }],
    ['a variable', { env: [{ name: 'DB_PWD', value: 'hunter2' }] }, { env: [{ name: 'DB_PWD', value: 'hunter3' }] }],
    ['a file', { data: { 'a.yaml': 'password: hunter2' } }, { data: { 'a.yaml': 'password: hunter3' } }],
    ['data of a Secret', { kind: 'Secret', data: { any: 'hunter2' } }, { kind: 'Secret', data: { any: 'hunter3' } }],
  ])('say that %s changes, and not to what', (_, wanted, live) => {
    const lines = changedFields(wanted, live);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join()).not.toContain('hunter');
  });
});
