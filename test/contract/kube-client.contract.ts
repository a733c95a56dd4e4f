import { afterAll, beforeAll, describe } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { accessContract } from './access.contract.js';
import type { ContractCluster } from './contract-cluster.js';
import { customResourceContract } from './custom-resource.contract.js';
import { lifetimeContract } from './lifetime.contract.js';
import { readContract } from './read.contract.js';
import { watchContract } from './watch.contract.js';
import { workloadContract } from './workload.contract.js';
import { writeContract } from './write.contract.js';

/** The cluster for every part of the contract, and a namespace of its own. */
export type ContractSubject = () => ContractCluster & Readonly<{ namespace: string }>;

/**
 * Flotilla's requirements of a Kubernetes API, seen through its own client. Runs on the simulator and on a
 * real API server.
 */
export function kubeClientContract(name: string, makeCluster: () => Promise<ContractCluster>): void {
  describe(`the API of ${name}, through KubeClient`, () => {
    let cluster: ContractCluster | undefined;
    let namespace = '';
    const subject: ContractSubject = () => {
      if (cluster === undefined) throw new Error('the cluster has not been started');
      return { ...cluster, namespace };
    };
    beforeAll(async () => {
      cluster = await makeCluster();
      const object: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'contract-' } };
      namespace = (await cluster.client.create(object)).object.metadata.name ?? '';
    });
    afterAll(async () => {
      await cluster?.client.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      await cluster?.stop();
    });
    describe('reads', () => readContract(subject));
    describe('writes', () => writeContract(subject));
    describe('custom resources', () => customResourceContract(subject));
    describe('rights', () => accessContract(subject));
    describe('workloads', () => workloadContract(subject));
    describe('ends of objects', () => lifetimeContract(subject));
    describe('watches', () => watchContract(subject));
  });
}
