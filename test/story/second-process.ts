import { join } from 'node:path';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { QUICK } from './quick-environment.js';

/** A second process of a service for the clusters of an environment; not started yet. */
export function secondProcessOf(
  environment: ServicesEnvironment,
  service: ServiceName,
  folder: string,
): ServiceProcess {
  const kubeconfigs = service === 'applier' ? environment.applierKubeconfigs : environment.kubeconfigs;
  const env = {
    ...QUICK,
    FLOTILLA_KUBECONFIG: kubeconfigs.join(':'),
    FLOTILLA_REDIS_URL: environment.redis.url,
    FLOTILLA_REDIS_PREFIX: environment.redisPrefix,
    FLOTILLA_CATALOG_POLLER_PORT: '0',
    FLOTILLA_APPLIER_PORT: '0',
    FLOTILLA_CONTENT_DIR: join(folder, service),
    FLOTILLA_LOG_LEVEL: 'debug',
  };
  return new ServiceProcess(`${service}-2`, service, env, join(folder, `${service}-2.log`));
}
