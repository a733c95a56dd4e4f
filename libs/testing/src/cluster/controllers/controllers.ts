import type { ClusterState } from '../cluster-state.js';
import { AggregatedRolesController } from './aggregated-roles.controller.js';
import { ApiServicesController } from './api-services.controller.js';
import { CustomResourcesController } from './custom-resources.controller.js';
import { DeploymentsController } from './deployments.controller.js';
import { GarbageCollector } from './garbage-collector.controller.js';
import { NamespacesController } from './namespaces.controller.js';

/**
 * Starts what runs beside the API in every cluster: the parts of
 * kube-controller-manager that operators rely on.
 */
export function startControllers(cluster: ClusterState): void {
  new CustomResourcesController(cluster);
  new ApiServicesController(cluster);
  new NamespacesController(cluster);
  new GarbageCollector(cluster);
  new AggregatedRolesController(cluster);
  new DeploymentsController(cluster);
}
