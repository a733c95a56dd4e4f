import type { ClusterState } from '../state/cluster-state.js';
import { AggregatedRolesController } from './aggregated-roles.controller.js';
import { ApiServicesController } from './api-services.controller.js';
import { CustomResourcesController } from './custom-resources.controller.js';
import { DeploymentsController } from './deployments.controller.js';
import { GarbageCollector } from './garbage-collector.controller.js';
import { NamespacesController } from './namespaces.controller.js';

/** Continues work that had begun when an earlier state of the cluster is restored. */
export type Controllers = Readonly<{ resume: () => void }>;

/**
 * Starts the parts of kube-controller-manager that operators rely on: they run next to the API in every
 * cluster.
 */
export function startControllers(cluster: ClusterState): Controllers {
  new CustomResourcesController(cluster);
  new ApiServicesController(cluster);
  new NamespacesController(cluster);
  new GarbageCollector(cluster);
  new AggregatedRolesController(cluster);
  const deployments = new DeploymentsController(cluster);
  return { resume: () => deployments.resume() };
}
