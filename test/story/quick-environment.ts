import { applierLogins } from '#testing/control-plane/applier-logins';
import { pause } from '#testing/patience';
import {
  type EnvironmentOptions,
  type ServicesEnvironment,
  startEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';

/** Waits that are seconds in production, short enough for a test to sit through. */
export const QUICK: Readonly<Record<string, string>> = {
  FLOTILLA_JOB_LOCK_DURATION: '2s',
  FLOTILLA_JOB_STALLED_INTERVAL: '1s',
  FLOTILLA_JOB_RETRY_FIRST: '200ms',
  FLOTILLA_EXTENSION_SECRET_INTERVAL: '1s',
  FLOTILLA_SHARD_LEASE: '2s',
};

/** For a test that changes the logins in its kubeconfigs: its appliers have them, too, in every run. */
export const keptLogins = async (kubeconfigs: readonly string[]): Promise<readonly string[]> => kubeconfigs;

/**
 * An environment whose services take over from one another quickly; with one resolver worker, if a test needs
 * no more.
 */
export const startQuickEnvironment = (options: EnvironmentOptions = {}): Promise<ServicesEnvironment> =>
  startEnvironment({
    deploymentReadyAfterMs: 200,
    resolvers: 1,
    applierLogins,
    ...options,
    settings: { ...QUICK, ...options.settings },
  });

/** Waits until each service listens; how long that may take is for the test's hooks to say. */
export async function allRunning(services: ServicesEnvironment['services']): Promise<void> {
  for (const service of services) {
    while ((await service.url()) === undefined) await pause(100);
  }
}
