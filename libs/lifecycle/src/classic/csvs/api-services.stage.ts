import { API_SERVICE } from '#core/classic/csv/serving/api-services';
import { apiServicesOf, deleteOrphanedApiServices } from '#core/classic/csv/serving/orphaned-api-services';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { perform } from '../../engine/passes/perform.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';

/** Deletes APIServices if their ClusterServiceVersion, or their whole namespace, is gone. */
export const apiServicesStage: NamespaceStage = async (input) =>
  perform(input, deleteOrphanedApiServices(await owned(input), input.read.csvs));

/**
 * Lists the APIServices of the namespace. If the login may not list them, the rest of the namespace continues
 * without them.
 */
async function owned({ reader, read }: NamespaceStageInput) {
  try {
    return await reader.list(API_SERVICE, { labelSelector: apiServicesOf(read.namespace) });
  } catch (error) {
    if (KubeApiError.is(error, 'Forbidden')) return [];
    throw error;
  }
}
