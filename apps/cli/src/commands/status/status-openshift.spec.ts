import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE } from '#testing/patience';
import { put } from '../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const OPERATOR = { apiVersion: 'config.openshift.io/v1', kind: 'ClusterOperator' };
const WHY = 'maximum supported OCP version for team/lamp.v1 is 4.18';

let folder = '';
let fleet: SimulatedFleet;

/** East is an OpenShift cluster, west is none. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-openshift-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  fleet.cluster('east').create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'clusteroperators.config.openshift.io' },
    spec: {
      group: 'config.openshift.io',
      scope: 'Cluster',
      names: { kind: 'ClusterOperator', plural: 'clusteroperators' },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open }, subresources: { status: {} } },
      ],
    },
  });
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  return () => vi.unstubAllEnvs();
});

const upgradeable = (name: string, status: string, reason: string, message: string) =>
  put(fleet.cluster('east'), {
    ...OPERATOR,
    metadata: { name },
    status: { conditions: [{ type: 'Upgradeable', status, reason, message }] },
  });

it('status names the operators that block the next minor version of OpenShift, and the cluster', async () => {
  await vi.waitFor(
    () =>
      upgradeable(
        'operator-lifecycle-manager',
        'False',
        'IncompatibleOperatorsInstalled',
        `ClusterServiceVersions blocking minor version upgrades to 4.19.0:\n- ${WHY}`,
      ),
    PATIENCE,
  );
  upgradeable('olm', 'True', '', '');
  const { out } = await runFlotilla(['status']);
  expect(out).toContain(`east  an operator blocks the next minor version of OpenShift: ${WHY}\n`);
  expect(out).not.toMatch(/west {2}an operator/);
  const { clusters } = JSON.parse((await runFlotilla(['status', '-o', 'json'])).out);
  expect(clusters).toEqual([
    expect.objectContaining({ cluster: 'east', upgradeBlockers: [WHY] }),
    expect.not.objectContaining({ upgradeBlockers: expect.anything() }),
  ]);
});
