import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PolicyRule } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE } from '#testing/patience';
import { createIgnoringExisting } from '../../apps/cli/src/commands/demo/environment/create-object.js';
import { foreignDefinitions } from '../guide/foreign-kinds.js';
import { type MadeVersion, madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, until } from './advice-bench.js';
import { LISTED_USER } from './hub-accounts.js';

const LISTED_ROLE = 'flotilla:apply-listed';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const V1 = 'olm.operatorframework.io/v1';
const ROLE = { ...KIND.ClusterRole, name: LISTED_ROLE } as const;
const POLL = { ...LONG_PATIENCE, interval: 300 };

/** One kind that bundles bring: its rule in the role, and a version of an operator that needs it. */
type Brought = Readonly<{ group: string; resource: string; version: (name: string) => MadeVersion }>;

const bringing =
  (apiVersion: string, kind: string, more: object = {}) =>
  (name: string): MadeVersion => ({
    version: '1.0.0',
    objects: [{ apiVersion, kind, metadata: { name }, ...more }],
  });

const LABELS = { matchLabels: { app: 'it' } };
/** Each needs a kind that no other of them needs. */
const BROUGHT: readonly Brought[] = [
  { group: '', resource: 'configmaps', version: bringing('v1', 'ConfigMap', { data: { a: 'b' } }) },
  { group: '', resource: 'secrets', version: bringing('v1', 'Secret', { stringData: { a: 'b' } }) },
  { group: '', resource: 'services', version: bringing('v1', 'Service', { spec: { ports: [{ port: 80 }] } }) },
  {
    group: 'apps',
    resource: 'deployments',
    version: (name) => ({ version: '1.0.0', objects: [], deployments: [madeDeployment(name, name)] }),
  },
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    version: (name) => ({
      version: '1.0.0',
      objects: [madeCrd({ kind: 'Sail', group: `${name}.example.com` }, [{ name: 'v1', storage: true }])],
    }),
  },
  {
    group: 'networking.k8s.io',
    resource: 'networkpolicies',
    version: bringing('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  },
  {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    version: bringing('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1, selector: LABELS } }),
  },
  {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    version: bringing('scheduling.k8s.io/v1', 'PriorityClass', { value: 7 }),
  },
  {
    group: 'monitoring.coreos.com',
    resource: 'servicemonitors',
    version: bringing('monitoring.coreos.com/v1', 'ServiceMonitor', { spec: { selector: LABELS, endpoints: [] } }),
  },
];

const nameOf = ({ resource }: Brought): string => `no-${resource}`;

async function shippedRules(): Promise<readonly PolicyRule[]> {
  const text = await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster/apply-listed.yaml'), 'utf8');
  return Object(load(text)).rules;
}

/** Returns the rules without the writing of these resources, or without some verbs of them. */
function without(
  rules: readonly PolicyRule[],
  taken: readonly Readonly<{ group: string; resource: string }>[],
  verbs?: readonly string[],
): readonly PolicyRule[] {
  return rules.flatMap((rule) => {
    const isRead = rule.verbs?.includes('get') === true;
    const ofGroup = taken.filter(({ group }) => rule.apiGroups?.includes(group));
    if (isRead || ofGroup.length === 0) return [rule];
    const names = new Set(ofGroup.map(({ resource }) => resource));
    const isNamed = (resource: string) => names.has(resource) || names.has(resource.split('/')[0] ?? '');
    const kept = (rule.resources ?? []).filter((resource) => !isNamed(resource));
    const cut = (rule.resources ?? []).filter(isNamed);
    const left = (rule.verbs ?? []).filter((verb) => verbs !== undefined && !verbs.includes(verb));
    return [
      ...(kept.length > 0 ? [{ ...rule, resources: kept }] : []),
      ...(cut.length > 0 && left.length > 0 ? [{ ...rule, resources: cut, verbs: left }] : []),
    ];
  });
}

/** Declares the tests of the role that lists kinds, with the services of a hub on a cluster of their own. */
export function playListedRights(start: () => Promise<AdviceBench>, isReal: boolean): void {
  let bench: AdviceBench;
  let shipped: readonly PolicyRule[] = [];
  beforeAll(async () => {
    bench = await start();
    shipped = await shippedRules();
    for (const definition of foreignDefinitions()) await createIgnoringExisting(bench.client, definition);
  });
  afterAll(() => bench?.stop());

  /** Gives the role these rules, and waits until the API server goes by them. */
  async function giveRules(rules: readonly PolicyRule[], verb: string, group: string, resource: string): Promise<void> {
    const isThere = rules.some(
      (rule) =>
        rule.verbs?.includes(verb) &&
        rule.apiGroups?.includes(group) &&
        (rule.resources?.includes(resource) || rule.resources?.includes('*')),
    );
    await bench.client.patch(ROLE, { rules });
    await until(async () => {
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: { name: '' } };
      const spec = { user: LISTED_USER, resourceAttributes: { group, resource, verb } };
      const { object } = await bench.client.create<KubernetesObject>({ ...review, spec } as KubernetesObject);
      return Object(object['status']).allowed;
    }, isThere);
  }
  const planOf = async (namespace: string) => {
    const plans = (await bench.client.list({ apiVersion: V1ALPHA1, kind: 'InstallPlan' }, { namespace }))?.items ?? [];
    return Object(plans[0]?.['status']) as { phase?: string; message?: string };
  };
  const pending = async (namespace: string) => {
    const ref = { apiVersion: V1ALPHA1, kind: 'Subscription', name: namespace, namespace };
    const conditions: readonly { type: string; message?: string }[] =
      Object(Object(await bench.client.get(ref))['status']).conditions ?? [];
    return conditions.find(({ type }) => type === 'InstallPlanPending')?.message ?? '';
  };
  /** Waits until the plan of the namespace waits with this text, and its Subscription says so, too. */
  async function waitsWith(namespace: string, text: RegExp): Promise<void> {
    await vi.waitFor(async () => {
      expect(await planOf(namespace)).toMatchObject({ phase: 'Installing', message: expect.stringMatching(text) });
      expect(await pending(namespace)).toMatch(text);
    }, POLL);
  }
  const done = (namespace: string) => bench.runs(namespace, `${namespace}.v1.0.0 Succeeded`);
  const forbidden = (verb: string, resource: string) =>
    new RegExp(`is forbidden: User "${LISTED_USER}" cannot ${verb} resource "${resource}"`);

  describe(`a login with ${LISTED_ROLE}`, () => {
    it('installs what the role lists', async () => {
      await Promise.all(
        BROUGHT.map((one) => bench.subscribed(`has-${one.resource}`, [one.version(`has-${one.resource}`)])),
      );
      await Promise.all(BROUGHT.map(({ resource }) => done(`has-${resource}`)));
    });

    it('does not apply anything of a plan with a kind that was taken from the role, and names it', async () => {
      const rules = without(shipped, BROUGHT);
      await giveRules(rules, 'create', 'policy', 'poddisruptionbudgets');
      await Promise.all(BROUGHT.map((one) => bench.subscribed(nameOf(one), [one.version(nameOf(one))])));
      await Promise.all(
        BROUGHT.map(async (one) => {
          const namespace = nameOf(one);
          await waitsWith(namespace, forbidden('create', one.resource));
          await waitsWith(namespace, /Nothing was applied$/);
          expect(await fixture.operators(bench.client, namespace)).toEqual([]);
          expect(await bench.client.get({ ...KIND.ServiceAccount, name: namespace, namespace })).toBeUndefined();
        }),
      );
    });

    it('does not apply anything of a ClusterExtension with such a kind', async () => {
      const name = 'extends';
      await fixture.createNamespace(bench.client, name, []);
      const versions = [{ ...bringing('v1', 'ConfigMap')(name), spec: { installModes: ALL } }];
      const source = { type: 'Image', image: { ref: await bench.catalog(name, versions) } };
      await bench.client.create({ ...CATALOG, metadata: { name }, spec: { source } } as KubernetesObject);
      const catalog = { packageName: name };
      const spec = { namespace: name, source: { sourceType: 'Catalog', catalog } };
      await bench.client.create({ ...EXTENSION, metadata: { name }, spec } as KubernetesObject);
      const progressing = async () => {
        const found = await bench.client.get({ ...EXTENSION, name });
        const conditions: readonly { type: string; message: string }[] = Object(found?.['status']).conditions ?? [];
        return conditions.find(({ type }) => type === 'Progressing')?.message;
      };
      await vi.waitFor(async () => expect(await progressing()).toMatch(forbidden('create', 'configmaps')), POLL);
      expect(await bench.client.get({ ...KIND.ServiceAccount, name, namespace: name })).toBeUndefined();
    });

    it('goes on by itself once the right is there', async () => {
      await giveRules(shipped, 'create', 'policy', 'poddisruptionbudgets');
      await Promise.all(BROUGHT.map((one) => done(nameOf(one))));
      const installed = async () =>
        Object((await bench.client.get({ ...EXTENSION, name: 'extends' }))?.['status']).install?.bundle?.version;
      await until(installed, '1.0.0');
    });

    it('without accounts and roles refuses every operator', async () => {
      const taken = ['roles', 'rolebindings'].map((resource) => ({ group: RBAC, resource }));
      const rules = without(shipped, [...taken, { group: '', resource: 'serviceaccounts' }]);
      await giveRules(rules, 'create', RBAC, 'roles');
      await bench.subscribed('no-roles', [{ version: '1.0.0', objects: [] }]);
      for (const resource of ['serviceaccounts', 'roles', 'rolebindings'])
        await waitsWith('no-roles', forbidden('create', resource));
      await giveRules(shipped, 'create', RBAC, 'roles');
      await done('no-roles');
    });

    it('without impersonation names it where a group has a ServiceAccount', async () => {
      await giveRules(without(shipped, IMPERSONATED, ['impersonate']), 'impersonate', '', 'serviceaccounts');
      const namespace = 'no-impersonation';
      await fixture.createNamespace(bench.client, namespace, []);
      await bench.client.create({ ...KIND.ServiceAccount, metadata: { name: 'clerk', namespace } });
      await bench.client.create({
        ...{ ...KIND.RoleBinding, metadata: { name: 'clerk', namespace } },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'clerk', namespace }],
      } as KubernetesObject);
      const spec = { targetNamespaces: [namespace], serviceAccountName: 'clerk' };
      await bench.client.create({
        ...KIND.OperatorGroup,
        metadata: { name: 'own', namespace },
        spec,
      } as KubernetesObject);
      await bench.publish(namespace, namespace, [{ version: '1.0.0', objects: [] }]);
      await fixture.subscribe(bench.client, namespace, namespace);
      await waitsWith(namespace, /cannot impersonate resource/);
      await giveRules(shipped, 'impersonate', '', 'serviceaccounts');
      await done(namespace);
    });

    it('without Events installs all the same, and leaves none', async () => {
      await giveRules(without(shipped, [{ group: '', resource: 'events' }]), 'create', '', 'events');
      await bench.subscribed('no-events', [{ version: '1.0.0', objects: [] }]);
      await done('no-events');
      const events = (await bench.client.list(KIND.Event, { namespace: 'no-events' }))?.items ?? [];
      expect(events.filter((event) => Object(event['source']).component === 'flotilla-applier')).toEqual([]);
      await giveRules(shipped, 'create', '', 'events');
    });

    // The simulator does not review the rights that a role grants.
    if (!isReal) return;
    it('without escalate is refused roles with rights that it does not have', async () => {
      await giveRules(without(shipped, ROLES, ['escalate', 'bind']), 'escalate', RBAC, 'roles');
      await bench.subscribed('no-escalate', [{ version: '1.0.0', objects: [], spec: { install: STRATEGY } }]);
      await waitsWith('no-escalate', /attempting to grant RBAC permissions not currently held/);
      await giveRules(shipped, 'escalate', RBAC, 'roles');
      await done('no-escalate');
    });
  });
}

const RBAC = 'rbac.authorization.k8s.io';
const ALL = [{ type: 'AllNamespaces', supported: true }];
const CATALOG = { apiVersion: V1, kind: 'ClusterCatalog' } as const;
const EXTENSION = { apiVersion: V1, kind: 'ClusterExtension' } as const;
const IMPERSONATED = ['serviceaccounts', 'groups'].map((resource) => ({ group: '', resource }));
const ROLES = ['roles', 'clusterroles'].map((resource) => ({ group: RBAC, resource }));
/** A right that neither the role nor anything else gives the hub. */
const RULES = [{ apiGroups: [''], resources: ['pods'], verbs: ['deletecollection'] }];
const STRATEGY = {
  strategy: 'deployment',
  spec: { deployments: [], permissions: [{ serviceAccountName: 'no-escalate', rules: RULES }] },
};
