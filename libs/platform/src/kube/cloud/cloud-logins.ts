import type { CloudToken } from '#core/cluster/cloud-logins/cloud-answers';
import type { CloudLogin } from '#core/cluster/cloud-logins/cloud-login';
import { aksToken } from './aks-token.js';
import type { CloudAccess } from './cloud-access.js';
import { eksToken } from './eks-token.js';
import { gkeToken } from './gke-token.js';

/**
 * Asks a cloud for the token of a login.
 * @throws CloudLoginError
 */
export function cloudToken(login: CloudLogin, access: CloudAccess): Promise<CloudToken> {
  if (login.cloud === 'EKS') return eksToken(login, access);
  return login.cloud === 'GKE' ? gkeToken(login, access) : aksToken(login, access);
}
