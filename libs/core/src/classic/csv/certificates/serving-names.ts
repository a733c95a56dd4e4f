import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { ownedApiServices, webhooks } from '../../../kernel/api/csv-facts.js';
import { type ServingService, servingServiceName } from './serving-service.js';

/** Names the authority that signed a certificate. */
export const CA_HASH_ANNOTATION = 'olmcahash';
/** Key of the authority's certificate in a Secret with a serving certificate. */
export const CA_KEY = 'olmCAKey';

/** Name of the ClusterRoleBinding that lets an operator review the tokens it receives. */
export const authDelegatorName = ({ name }: Pick<ServingService, 'name'>): string => `${name}-system:auth-delegator`;

/**
 * Name of the RoleBinding in kube-system that lets an operator read how the API server authenticates itself.
 */
export const authReaderName = ({ name }: Pick<ServingService, 'name'>): string => `${name}-auth-reader`;

/** True if operators of several namespaces may share a binding of this name. */
export const isSharedBinding = (name: string): boolean => /-(system:auth-delegator|auth-reader)$/.test(name);

/**
 * True if the API server calls a Deployment of the CSV through the Service that gives the binding its name.
 */
export const usesBinding = (csv: ClusterServiceVersion, binding: string): boolean =>
  [...ownedApiServices(csv), ...webhooks(csv)].some(({ deploymentName = '' }) => {
    const service = { name: servingServiceName(deploymentName) };
    return authDelegatorName(service) === binding || authReaderName(service) === binding;
  });
