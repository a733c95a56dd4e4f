import { join } from 'node:path';
import type { Stage } from '../../apps/cli/src/demo/demo-stage.js';
import { type ServiceName, ServiceProcess } from '../../apps/cli/src/demo/service-process.js';
import { QUICK } from './quick-stage.js';

/** A second process of a service for the clusters of an environment; not started yet. */
export function twinOf(stage: Stage, service: ServiceName, folder: string): ServiceProcess {
  const env = {
    ...QUICK,
    FLOTILLA_KUBECONFIG: stage.kubeconfigs.join(':'),
    FLOTILLA_REDIS_URL: stage.redis.url,
    FLOTILLA_REDIS_PREFIX: stage.redisPrefix,
    FLOTILLA_CATALOG_POLLER_PORT: '0',
    FLOTILLA_APPLIER_PORT: '0',
    FLOTILLA_CONTENT_DIR: join(folder, service),
    FLOTILLA_LOG_LEVEL: 'debug',
  };
  return new ServiceProcess(`${service}-2`, service, env, join(folder, `${service}-2.log`));
}
