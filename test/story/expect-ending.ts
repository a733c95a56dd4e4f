import { expect } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { isManual, SAMPLE_NAMESPACE } from '../../apps/cli/src/commands/demo/scenario.js';
import type { Seen } from '../../apps/cli/src/commands/demo/seen-objects.js';
import type { Ending } from './play-story.js';

const OPERATORS = ['harbor-operator', 'lighthouse-operator'];
const HOPS = ['v1.0.0', 'v1.1.0', 'v1.2.0'];
const LAST = OPERATORS.map((name) => `${name}.v1.2.0`);

/** Expects the end of the story for a user on every cluster, in every variant. */
export async function expectEnding(environment: ServicesEnvironment, { seen }: Ending): Promise<void> {
  expect(environment.clients).toHaveLength(2);
  for (const [index, client] of environment.clients.entries()) {
    const found = seen.get(client.cluster);
    if (found === undefined) throw new Error(`nothing was seen of ${client.cluster}`);
    expectOperators(found);
    expectSubscriptions(found, isManual(index) ? 'Manual' : 'Automatic');
    expectPlans(found);
    expectCatalog(found);
    await expectWorkloads(client);
    await expectDefinitions(client);
  }
}

/** The newest alone, and it runs: the versions before it are gone. */
function expectOperators({ csvs }: Seen): void {
  const phases = csvs.map(({ metadata, status }) => `${metadata.name} ${status?.phase} ${status?.reason}`);
  expect(phases.toSorted()).toEqual(LAST.map((name) => `${name} Succeeded InstallSucceeded`));
}

function expectSubscriptions({ subscriptions }: Seen, approval: string): void {
  const found = subscriptions.map(({ spec, status }) => ({
    package: spec.name,
    approval: spec.installPlanApproval,
    state: status?.state,
    installed: status?.installedCSV,
    complaints: (status?.conditions ?? []).filter((condition) => condition.status === 'True').map(({ type }) => type),
    catalogs: status?.catalogHealth?.map(({ healthy }) => healthy),
  }));
  const atRest = { state: 'AtLatestKnown', complaints: [], catalogs: [true] };
  expect(found.toSorted((a, b) => (a.package < b.package ? -1 : 1))).toEqual([
    { package: 'harbor-operator', approval, installed: LAST[0], ...atRest },
    { package: 'lighthouse-operator', approval: 'Automatic', installed: LAST[1], ...atRest },
  ]);
}

/** One plan for each hop, each of both operators, none twice, none left over. */
function expectPlans({ plans }: Seen): void {
  const found = plans.map(({ spec, status }) => ({
    csvs: spec.clusterServiceVersionNames.toSorted(),
    approved: spec.approved,
    phase: status?.phase,
  }));
  expect(found.toSorted((a, b) => (a.csvs.join() < b.csvs.join() ? -1 : 1))).toEqual(
    HOPS.map((hop) => ({ csvs: OPERATORS.map((name) => `${name}.${hop}`), approved: true, phase: 'Complete' })),
  );
}

function expectCatalog({ catalogs }: Seen): void {
  expect(catalogs).toHaveLength(1);
  expect(catalogs[0]).toMatchObject({
    status: {
      connectionState: {
        lastObservedState: 'READY',
        address: expect.stringMatching(/\/content\/sha256:[0-9a-f]{64}$/),
      },
    },
  });
  expect(catalogs[0]?.['status']).not.toHaveProperty('reason');
}

async function expectWorkloads(client: KubeClient): Promise<void> {
  const found = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace: SAMPLE_NAMESPACE });
  const running = (found?.items ?? []).map((deployment) => ({
    of: deployment.metadata.labels?.['olm.owner'],
    image: imagesOf(deployment).map((image) => image.slice(image.lastIndexOf('/') + 1)),
    available: valueAt(deployment, 'status', 'availableReplicas'),
  }));
  // The sample operators of all versions are one small public image, with another tag for each version.
  expect(running.toSorted((a, b) => ((a.of ?? '') < (b.of ?? '') ? -1 : 1))).toEqual(
    LAST.map((of) => ({ of, image: ['pause:3.10'], available: 1 })),
  );
}

/** Each hop added an optional field to the CRDs. */
async function expectDefinitions(client: KubeClient): Promise<void> {
  const fields = async (name: string) => {
    const ref = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
    const version = valueAt(await client.get(ref), 'spec', 'versions', '0');
    return Object.keys(
      Object(valueAt(version, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties')),
    ).toSorted();
  };
  expect(await fields('harbors.harbor.example.com')).toEqual(expect.arrayContaining(['lighthouse', 'pilotage']));
  expect(await fields('lighthouses.lighthouse.example.com')).toEqual(expect.arrayContaining(['colour', 'period']));
}

function imagesOf(deployment: KubernetesObject): string[] {
  const containers = valueAt(deployment, 'spec', 'template', 'spec', 'containers');
  return Array.isArray(containers) ? containers.map((container) => String(valueAt(container, 'image'))) : [];
}

function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** Returns the solved problems of all resolvers, in the order of their logs. */
export async function solvedProblems(environment: ServicesEnvironment): Promise<string[]> {
  const resolvers = environment.services.filter(({ service }) => service === 'resolver-worker');
  const logs = await Promise.all(resolvers.map((resolver) => resolver.logged()));
  return logs.flat().flatMap(({ msg, problem }) => (msg === 'problem solved' ? [String(problem)] : []));
}
