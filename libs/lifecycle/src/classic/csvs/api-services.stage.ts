import { API_SERVICE } from '#core/classic/csv/serving/api-services';
import { apiServicesOf, deleteOrphanedApiServices } from '#core/classic/csv/serving/orphaned-api-services';
import { perform } from '../../engine/perform.js';
import type { NamespaceStage } from '../namespaces/stage.js';

/** Deletes APIServices whose ClusterServiceVersion, or whole namespace, is gone. */
export const apiServicesStage: NamespaceStage = async (input) => {
  const { reader, read } = input;
  const owned = await reader.list(API_SERVICE, { labelSelector: apiServicesOf(read.namespace) });
  return perform(input, deleteOrphanedApiServices(owned, read.csvs));
};
