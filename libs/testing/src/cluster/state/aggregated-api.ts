import { arrayAt, isObject, objectAt } from '../objects/json.js';
import type { ClusterState } from './cluster-state.js';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** True if the path lies in an API that a Service must serve and that is not available at the moment. */
export function isUnavailableApi({ storage }: Pick<ClusterState, 'storage'>, path: string): boolean {
  const [root, group, version] = path.split('/').filter((part) => part !== '');
  if (root !== 'apis' || group === undefined || version === undefined) return false;
  const apiService = storage.get(API_SERVICES, `/${version}.${group}`);
  if (apiService === undefined || objectAt(apiService, 'spec', 'service') === undefined) return false;
  const conditions = arrayAt(apiService, 'status', 'conditions').filter(isObject);
  return !conditions.some(({ type, status }) => type === 'Available' && status === 'True');
}
