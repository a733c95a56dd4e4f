import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { type ManagementFacts, managementStatus } from './management-status.js';
import { signsOfOlm, signText } from './olm-signs.js';

const NOW = new Date('2026-11-21T08:00:00Z');
const deployment = (namespace: string, name: string, replicas?: number): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: replicas === undefined ? {} : { replicas },
});
const written = (manager: string, time: string, name = 'shelf'): KubernetesObject => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  metadata: { name, namespace: 'olm', managedFields: [{ manager, operation: 'Update', time }] },
});

describe('signs that OLM itself is at work', () => {
  it.each([
    { because: 'an empty cluster', deployments: [], objects: [], signs: [] },
    {
      because: 'upstream’s Deployments',
      deployments: [deployment('olm', 'olm-operator', 1), deployment('olm', 'catalog-operator')],
      objects: [],
      signs: ['deployment olm/catalog-operator', 'deployment olm/olm-operator'],
    },
    {
      because: 'OpenShift’s, and one in a namespace of somebody’s choice',
      deployments: [
        deployment('openshift-operator-lifecycle-manager', 'olm-operator'),
        deployment('ops', 'catalog-operator'),
      ],
      objects: [],
      signs: ['deployment openshift-operator-lifecycle-manager/olm-operator', 'deployment ops/catalog-operator'],
    },
    {
      because: 'OLM v1',
      deployments: [
        deployment('olmv1-system', 'catalogd-controller-manager'),
        deployment('olmv1-system', 'operator-controller-controller-manager'),
      ],
      objects: [],
      signs: [
        'deployment olmv1-system/catalogd-controller-manager',
        'deployment olmv1-system/operator-controller-controller-manager',
      ],
    },
    {
      because: 'scaled to nothing it is at rest',
      deployments: [deployment('olm', 'olm-operator', 0)],
      objects: [],
      signs: [],
    },
    {
      because: 'somebody else’s operator is no OLM',
      deployments: [deployment('shop', 'shop-operator')],
      objects: [written('flotilla-poller', '2026-11-21T07:59:00Z'), written('kubectl', '2026-11-21T07:59:00Z')],
      signs: [],
    },
    {
      because: 'an OLM outside of the cluster leaves its name on what it writes; one sign for each program is enough',
      deployments: [],
      objects: [written('catalog', '2026-11-21T07:55:00Z'), written('catalog', '2026-11-21T07:56:00Z', 'other')],
      signs: ['field manager "catalog" wrote CatalogSource olm/shelf at 2026-11-21T07:55:00Z'],
    },
    {
      because: 'what it wrote long ago tells of one that is gone',
      deployments: [],
      objects: [written('olm', '2026-11-21T07:40:00Z'), written('catalog', 'yesterday')],
      signs: [],
    },
  ])('$because', ({ deployments, objects, signs }) => {
    expect(signsOfOlm(deployments, objects, NOW).map(signText)).toEqual(signs);
  });
});

describe('whether Flotilla acts', () => {
  const signs = signsOfOlm([deployment('olm', 'olm-operator')], [], NOW);
  const facts: ManagementFacts = { cluster: 'east', globalCatalogNamespace: 'olm', signs, consentedClusters: [] };

  it.each<{ because: string; more: Partial<ManagementFacts>; acts: boolean }>([
    { because: 'OLM was found', more: {}, acts: false },
    { because: 'there is no OLM', more: { signs: [] }, acts: true },
    {
      because: 'nobody may look: it may be there',
      more: { signs: [], unseen: 'deployments is forbidden' },
      acts: false,
    },
    { because: 'the hub’s owner says so', more: { consentedClusters: ['west', 'east'] }, acts: true },
    { because: 'of another cluster', more: { consentedClusters: ['west'] }, acts: false },
    { because: 'of all', more: { consentedClusters: ['*'] }, acts: true },
    { because: 'the cluster’s owner says so', more: { annotations: { 'flotilla.dev/beside-olm': 'act' } }, acts: true },
    { because: 'a word that means nothing', more: { annotations: { 'flotilla.dev/beside-olm': 'yes' } }, acts: false },
    {
      because: 'who may not look is believed, too',
      more: { signs: [], unseen: 'forbidden', consentedClusters: ['east'] },
      acts: true,
    },
  ])('$acts: $because', ({ more, acts }) => {
    expect(managementStatus({ ...facts, ...more }).acts).toBe(acts);
  });

  it('says which verb names the rights that a login lacks', () => {
    const unseen = 'deployments is forbidden';
    expect(managementStatus({ ...facts, signs: [], unseen })).toMatchObject({
      because: expect.stringContaining(
        '(deployments is forbidden). Nothing is written. Give the hub’s login the rights that "flotilla clusters check --context east" lists, or',
      ),
    });
  });

  it('says what was found and both ways on', () => {
    expect(managementStatus(facts)).toMatchObject({
      because:
        'OLM itself runs there (deployment olm/olm-operator). Nothing is written. Scale OLM to zero to hand the cluster over, or allow both: FLOTILLA_CLUSTERS_BESIDE_OLM=east, or annotation flotilla.dev/beside-olm=act on namespace olm',
    });
  });
});
