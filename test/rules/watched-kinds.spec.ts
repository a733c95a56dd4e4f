import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { affectedNamespaces } from '#core/cluster/observation/affected-namespaces';
import type { ClusterNamespaces } from '#core/cluster/observation/namespace-rules';
import { kindsOf, WATCHED_KINDS } from '#core/cluster/observation/watched-kinds';
import { KINDS } from '#core/kernel/api/kinds';
import { type KubernetesObject, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { shippedRights } from '#platform/joining/shipped-rights';
import { builtinResources } from '#testing/cluster/resources/builtin-resources';

type Served = Readonly<{ kind: string; resource: string; group: string; versions: readonly string[]; scope: string }>;

const Crd = z.looseObject({
  spec: z.looseObject({
    group: z.string(),
    scope: z.string(),
    names: z.looseObject({ kind: z.string(), plural: z.string() }),
    versions: z.array(z.looseObject({ name: z.string() })),
  }),
});

/** Resources of a simulated cluster: built in, or of the definitions that Flotilla installs. */
function servedResources(): readonly Served[] {
  const folder = join(PROJECT_ROOT, 'k8s/crds');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const installed = files.map((name) => {
    const { group, scope, names, versions } = Crd.parse(parse(readFileSync(join(folder, name), 'utf8'))).spec;
    return { group, scope, kind: names.kind, resource: names.plural, versions: versions.map((one) => one.name) };
  });
  const builtin = [...builtinResources.values()].map(({ namespaced, ...info }) => ({
    ...info,
    scope: namespaced ? 'Namespaced' : 'Cluster',
  }));
  return [...builtin, ...installed];
}

const served = servedResources();
/** Kinds of OpenShift and of the package server: the tests that need them add these to simulated clusters. */
const NOT_SERVED = ['PackageManifest', 'ClusterOperator', 'ClusterVersion', 'OperatorHub', 'Proxy'];

const resourceOf = (kind: string, apiVersion: string): Served | undefined => {
  const { group, version } = splitApiVersion(apiVersion);
  return served.find((one) => one.kind === kind && one.group === group && one.versions.includes(version));
};

describe('the table of kinds', () => {
  it.each(Object.entries(KINDS))('gives %s the resource and scope that clusters serve', (kind, facts) => {
    const found = resourceOf(kind, facts.apiVersion);
    if (NOT_SERVED.includes(kind)) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ resource: facts.plural, scope: facts.scope });
  });
});

/** A cluster with a namespace for each rule. */
const view: ClusterNamespaces = {
  globalCatalogNamespace: 'olm',
  isGone: false,
  hasNamespace: () => true,
  subscribedTo: () => new Set(),
  operatorsOf: () => [],
  subscribed: new Set(['subscribed']),
  waitingForCluster: () => new Set(['waiting']),
  waitsForRights: () => true,
  sharing: () => new Set(['sharing']),
  selecting: () => new Set(['selecting']),
  contending: () => new Set(['contending']),
  copyingOver: () => new Set(['copying']),
};

const watched = WATCHED_KINDS.flatMap((row) => kindsOf(row).map((ref) => ({ ...ref, row })));

describe.each(watched)('$kind, which the poller watches', ({ apiVersion, kind, row }) => {
  const { plural, scope } = KINDS[kind];
  const object: KubernetesObject = {
    ...{ apiVersion, kind },
    metadata: {
      name: 'lighthouse.team-a',
      resourceVersion: '7',
      ...(scope === 'Namespaced' ? { namespace: 'team-a' } : {}),
      labels: { 'olm.owner.namespace': 'owner', 'olm.managed': 'true', 'operators.coreos.com/kafka.team-b': '' },
    },
    spec: { name: 'kafka', targetNamespaces: ['team-a'] },
  };

  it('concerns a namespace by the rule of its kind alone', () => {
    const { 'operators.coreos.com/kafka.team-b': _component, ...labels } = object.metadata.labels ?? {};
    const ofNoOperator = { ...object, metadata: { ...object.metadata, labels } };
    expect(affectedNamespaces(ofNoOperator, { ...view, operatorsOf: () => ['team-a'] })).not.toEqual([]);
  });

  it('concerns the same namespaces by the part that is kept', () => {
    const kept = row.keep === 'whole' ? object : row.keep(object);
    expect(affectedNamespaces(kept, view)).toEqual(affectedNamespaces(object, view));
    expect(kept.metadata.resourceVersion).toBe('7');
  });

  it('is watched with a right of ClusterRole flotilla:observe', async () => {
    const { group } = splitApiVersion(apiVersion);
    const rights = await shippedRights('observe');
    const verbs = rights.filter(
      (one) => 'resource' in one && one.group === group && [plural, '*'].includes(one.resource ?? ''),
    );
    expect(verbs.map(({ verb }) => verb)).toEqual(expect.arrayContaining(['get', 'list', 'watch']));
  });

  it('is served by simulated clusters', () => {
    expect(resourceOf(kind, apiVersion)).toBeDefined();
  });
});
