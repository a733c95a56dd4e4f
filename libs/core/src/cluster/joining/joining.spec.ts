import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { companionInstallation, companionsOn } from './companion-installation.js';
import { crdInstallation } from './crd-installation.js';

type Version = Readonly<{ name: string; fields: readonly string[]; served?: boolean; text?: string; open?: boolean }>;

const schemaOf = ({ fields, text, open }: Version) => ({
  type: 'object',
  ...(text === undefined ? {} : { description: text }),
  properties: {
    spec: {
      type: 'object',
      ...(open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
      properties: Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
    },
  },
});
const crd = (versions: readonly Version[], more: Record<string, unknown> = {}, stored?: readonly string[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    versions: versions.map((version) => ({
      name: version.name,
      served: version.served ?? true,
      storage: version === versions.at(-1),
      schema: { openAPIV3Schema: schemaOf(version) },
    })),
    ...more,
  },
  ...(stored === undefined ? {} : { status: { storedVersions: [...stored] } }),
});
const v1 = (...fields: string[]): Version => ({ name: 'v1', fields });

describe('the definition of OperatorConditions, which takes spec.conditions in v1 too', () => {
  const file = 'operators.coreos.com_operatorconditions.yaml';
  const shipped = KubernetesObject.parse(load(readFileSync(join('k8s', 'crds', file), 'utf8')));
  type Fields = Record<string, unknown>;
  /** As OLM ships it; `more`: a field of a newer OLM. */
  function olms(more?: string): KubernetesObject {
    const copy = structuredClone(shipped) as unknown as {
      spec: { versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: Fields } } } } }[] };
    };
    const fields = copy.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties ?? {};
    delete fields['conditions'];
    if (more !== undefined) fields[more] = { type: 'string' };
    return KubernetesObject.parse(copy);
  }

  it('replaces OLM’s, which lacks nothing else', () => {
    expect(crdInstallation(olms(), shipped)).toEqual({ do: 'upgrade' });
  });

  it('leaves that of a newer OLM, and reports what operators cannot say there', () => {
    expect(crdInstallation(olms('newer'), shipped)).toEqual({
      do: 'leave',
      because:
        "it has parts that the hub's definition does not have: v1.spec.newer; it stays without v1.spec.conditions of the hub's definition",
    });
  });
});

describe('a definition of ours in a cluster', () => {
  const ours = crd([v1('a', 'b')]);
  it.each<{ because: string; live: KubernetesObject | undefined; ours?: KubernetesObject; does: unknown }>([
    { because: 'there is none', live: undefined, does: { do: 'install' } },
    { because: 'it is the same', live: crd([v1('a', 'b')]), does: { do: 'nothing' } },
    { because: 'it is older', live: crd([v1('a')]), does: { do: 'upgrade' } },
    {
      because: 'it is newer: no downgrade',
      live: crd([v1('a', 'b', 'c')]),
      does: { do: 'leave', because: "it has parts that the hub's definition does not have: v1.spec.c" },
    },
    {
      because: 'it has both more and less: somebody’s own',
      live: crd([v1('a', 'c')]),
      does: {
        do: 'leave',
        because:
          "it has parts that the hub's definition does not have: v1.spec.c; it stays without v1.spec.b of the hub's definition",
      },
    },
    {
      because: 'it serves a version that ours does not know',
      live: crd([v1('a', 'b'), { name: 'v2', fields: [] }]),
      does: { do: 'leave', because: "it has parts that the hub's definition does not have: version v2" },
    },
    {
      because: 'objects may lie in a version that ours does not know',
      live: crd([v1('a')], {}, ['v1alpha1', 'v1']),
      does: {
        do: 'leave',
        because:
          "it has parts that the hub's definition does not have: stored version v1alpha1; it stays without v1.spec.b of the hub's definition",
      },
    },
    {
      because: 'it lacks a version',
      live: crd([{ name: 'v1alpha1', fields: ['a'] }], {}, ['v1alpha1']),
      ours: crd([{ name: 'v1alpha1', fields: ['a'] }, v1('a')]),
      does: { do: 'upgrade' },
    },
    {
      because: 'it converts by a webhook of somebody: that is not ours to say',
      live: crd([v1('a')], { conversion: { strategy: 'Webhook' } }),
      does: { do: 'upgrade' },
    },
    { because: 'texts alone differ', live: crd([{ ...v1('a', 'b'), text: 'other' }]), does: { do: 'nothing' } },
    {
      because: 'it keeps unknown fields, ours would drop them',
      live: crd([{ ...v1('a', 'b'), open: true }]),
      does: { do: 'leave', because: "it has parts that the hub's definition does not have: v1.spec (unknown fields)" },
    },
    {
      because: 'it is going',
      live: { ...ours, metadata: { ...ours.metadata, deletionTimestamp: '2026-11-21T08:00:00Z' } },
      does: { do: 'leave', because: 'it is being deleted' },
    },
  ])('$because', ({ live, ours: next = ours, does }) => {
    expect(crdInstallation(live, next)).toEqual(does);
  });
});

describe('what comes with the definitions', () => {
  const rules = [{ apiGroups: ['operators.coreos.com'], resources: ['subscriptions'], verbs: ['create'] }];
  const role = (more: Partial<KubernetesObject> = {}): KubernetesObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'aggregate-olm-edit', labels: { edit: 'true' } },
    rules,
    ...more,
  });
  const group: KubernetesObject = {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'global-operators', namespace: 'operators' },
  };
  const config: KubernetesObject = {
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OLMConfig',
    metadata: { name: 'cluster' },
    spec: { features: { disableCopiedCSVs: false } },
  };
  const labelled = { name: 'aggregate-olm-edit', labels: { edit: 'true', mine: 'too' } };

  it.each([
    { because: 'a missing role', ours: role(), live: undefined, groups: 0, does: 'write' },
    { because: 'the same role', ours: role(), live: role(), groups: 0, does: 'nothing' },
    { because: 'more labels do no harm', ours: role(), live: role({ metadata: labelled }), groups: 0, does: 'nothing' },
    { because: 'a label is gone', ours: role(), live: role({ metadata: { name: 'x' } }), groups: 0, does: 'write' },
    { because: 'other rules', ours: role(), live: role({ rules: [] }), groups: 0, does: 'write' },
    { because: 'a missing group', ours: group, live: undefined, groups: 0, does: 'write' },
    { because: 'a second group would stop the namespace', ours: group, live: undefined, groups: 1, does: 'nothing' },
    { because: 'settings are their owner’s', ours: config, live: { ...config, spec: {} }, groups: 0, does: 'nothing' },
  ])('$does: $because', ({ ours, live, groups, does }) => {
    expect(companionInstallation(ours, { live, groups })).toBe(does);
  });

  it('has OpenShift’s names on OpenShift', () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'operators' } };
    const names = (openShift: boolean) =>
      companionsOn([namespace, group, config], openShift).map(({ metadata }) => [metadata.namespace, metadata.name]);
    expect(names(false)).toEqual([
      [undefined, 'operators'],
      ['operators', 'global-operators'],
      [undefined, 'cluster'],
    ]);
    expect(names(true)).toEqual([
      [undefined, 'openshift-operators'],
      ['openshift-operators', 'global-operators'],
      [undefined, 'cluster'],
    ]);
  });
});
