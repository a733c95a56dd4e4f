import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { gear, installedDeployments, world } from '../world/csv-world.fixture.js';
import { checkDeployments } from './check-deployments.js';
import { installDeployments } from './install-deployments.js';

const csv = gear('v1');
const available = (status: string, message = '') => ({ type: 'Available', status, message });
const [installed] = installedDeployments(csv);
const changed = (change: (live: KubernetesObject) => KubernetesObject): readonly KubernetesObject[] =>
  installed === undefined ? [] : [change(structuredClone(installed))];
const withStatus = (status: Record<string, unknown>) => installedDeployments(csv, status);

describe('csv-lifecycle.md §5, Check', () => {
  it.each<{ deployments: readonly KubernetesObject[]; kind: string; message: string }>([
    { deployments: [], kind: 'waiting', message: 'missing deployment with name=gear' },
    {
      deployments: changed((live) => ({ ...live, metadata: { ...live.metadata, generation: 2 } })),
      kind: 'waiting',
      message:
        'waiting for deployment gear to become ready: waiting for spec update of deployment "gear" to be observed...',
    },
    {
      deployments: withStatus({
        conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }],
      }),
      kind: 'unrecoverable',
      message: 'deployment gear not ready before timeout: deployment "gear" exceeded its progress deadline',
    },
    {
      deployments: withStatus({ replicas: 3, updatedReplicas: 1, conditions: [available('True')] }),
      kind: 'waiting',
      message:
        'waiting for deployment gear to become ready: deployment "gear" waiting for 2 outdated replica(s) to be terminated',
    },
    {
      deployments: withStatus({ conditions: [available('False', 'no pods')] }),
      kind: 'waiting',
      message: 'waiting for deployment gear to become ready: deployment "gear" not available: no pods',
    },
    {
      deployments: withStatus({}),
      kind: 'waiting',
      message:
        'waiting for deployment gear to become ready: deployment "gear" not available: missing condition "Available"',
    },
    {
      deployments: changed((live) => ({ ...live, spec: {} })),
      kind: 'drifted',
      message: 'no annotations found on deployment',
    },
    {
      deployments: changed((live) => ({ ...live, spec: { template: { metadata: { annotations: {} } } } })),
      kind: 'drifted',
      message: 'annotations on deployment does not contain expected key: olm.operatorGroup',
    },
    {
      deployments: changed((live) => ({
        ...live,
        spec: { template: { metadata: { annotations: { 'olm.operatorGroup': 'bakers' } } } },
      })),
      kind: 'drifted',
      message:
        'unexpected annotation on deployment. Expected olm.operatorGroup:millers, found olm.operatorGroup:bakers',
    },
  ])('$kind: $message', ({ deployments, kind, message }) => {
    expect(checkDeployments(csv, world({ deployments }))).toEqual({ kind, message });
  });

  it('is well when all is available and as installed', () => {
    expect(checkDeployments(csv, world({ deployments: installedDeployments(csv) }))).toBeUndefined();
  });

  it('follows the Available condition, not the count of ready replicas', () => {
    const deployments = withStatus({
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 1,
      conditions: [available('True')],
    });
    expect(checkDeployments(csv, world({ deployments }))).toBeUndefined();
  });

  it('sees a change of the CSV by the hash label', () => {
    const spec = structuredClone(csv.spec);
    const [deployment] = spec.install?.spec?.deployments ?? [];
    if (deployment !== undefined) deployment.spec['replicas'] = 3;
    const problem = checkDeployments({ ...csv, spec }, world({ deployments: installedDeployments(csv) }));
    expect(problem?.message).toMatch(/^deployment changed old hash=\w+, new hash=\w+$/);
  });

  it('does not take a Deployment of another CSV for its own', () => {
    const deployments = installedDeployments(gear('v0'));
    expect(checkDeployments(csv, world({ deployments }))?.message).toBe('missing deployment with name=gear');
  });
});

describe('csv-lifecycle.md §5, Install', () => {
  it('takes one over from another CSV, keeping its component label and revision', () => {
    const [live] = installedDeployments(gear('v0'));
    if (live === undefined) throw new Error('no Deployment');
    const labels = { ...live.metadata.labels, 'operators.coreos.com/gear.mill': '', stale: 'yes' };
    const annotations = { 'deployment.kubernetes.io/revision': '4', stale: 'yes' };
    const old = { ...live, metadata: { ...live.metadata, labels, annotations, resourceVersion: '7' } };
    const [action] = installDeployments(csv, world({ deployments: [old] }));
    expect(action).toMatchObject({
      do: 'update',
      object: {
        metadata: {
          resourceVersion: '7',
          labels: { 'olm.owner': 'v1', 'operators.coreos.com/gear.mill': '' },
          annotations: { 'deployment.kubernetes.io/revision': '4' },
          ownerReferences: [{ name: 'v1', blockOwnerDeletion: false }],
        },
      },
    });
    expect(JSON.stringify(action)).not.toContain('stale');
  });

  it('deletes those it owns and lists no longer, and no others', () => {
    const [one] = installedDeployments(csv);
    if (one === undefined) throw new Error('no Deployment');
    const gone = { ...one, metadata: { ...one.metadata, name: 'left-over' } };
    const stranger = { ...one, metadata: { ...one.metadata, name: 'stranger', ownerReferences: [] } };
    const deletions = installDeployments(csv, world({ deployments: [one, gone, stranger] })).filter(
      (action) => action.do === 'delete',
    );
    expect(deletions).toMatchObject([{ ref: { name: 'left-over' }, propagation: 'Foreground' }]);
  });

  it('gives the same hash whatever the key order, and names the condition in every container', () => {
    const turned = structuredClone(csv);
    const [deployment] = turned.spec.install?.spec?.deployments ?? [];
    if (deployment === undefined) throw new Error('no Deployment');
    deployment.spec = { template: { spec: { containers: [{ image: 'example.test/gear:1', name: 'gear' }] } } };
    expect(installDeployments(turned, world())).toEqual(installDeployments(csv, world()));
    expect(JSON.stringify(installDeployments(csv, world()))).toContain(
      '"env":[{"name":"OPERATOR_CONDITION_NAME","value":"v1"}]',
    );
  });

  it('puts annotations of the CSV over those of the Pods, and the label of the strategy on the Deployment', () => {
    const template = { metadata: { annotations: { one: 'of the Pods', two: 'of the Pods' } } };
    const deployments = [{ name: 'gear', label: { team: 'stone' }, spec: { template } }];
    const made = gear('v1', { install: { strategy: 'deployment', spec: { deployments } } });
    const annotations = { ...made.metadata.annotations, one: 'of the CSV', three: 'of the CSV' };
    const [action] = installDeployments({ ...made, metadata: { ...made.metadata, annotations } }, world());
    expect(action).toMatchObject({
      object: {
        metadata: { labels: { team: 'stone' } },
        spec: {
          template: { metadata: { annotations: { one: 'of the CSV', two: 'of the Pods', three: 'of the CSV' } } },
        },
      },
    });
  });

  it('sends a spec it cannot read as it is: the API server knows best what is wrong', () => {
    const odd = gear('v1', {
      install: { strategy: 'deployment', spec: { deployments: [{ name: 'gear', spec: { template: 7 } }] } },
    });
    expect(installDeployments(odd, world())).toMatchObject([{ do: 'create', object: { spec: { template: 7 } } }]);
  });
});
