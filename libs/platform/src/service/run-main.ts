import type { DynamicModule, Type } from '@nestjs/common';
import { FlotillaError } from '#core/kernel/errors/flotilla.error';
import { visibleText } from '#core/kernel/text/visible-text';
import { SystemClock } from '../clock/system-clock.js';
import { InvalidSettings, readSettings, type Settings, unknownSettings } from '../config/settings.js';
import { type Hub, openFrame, openHub, type ServiceFrame } from '../hub/hub.js';
import { hubModule } from '../hub/hub.module.js';
import { HubKey } from '../keys/hub-key.js';
import { collectAtRest } from '../processes/collect-at-rest.js';
import { endWithParent } from '../processes/end-with-parent.js';
import { boundGarbage } from '../processes/service-memory.js';
import { queuePageModule } from '../queue-page/queue-page.module.js';
import { readRedisAccess } from '../redis/redis-access.js';
import { createLog } from '../telemetry/log.js';
import type { Log } from '../telemetry/log.port.js';
import { logWarnings } from '../telemetry/log-warnings.js';
import { type RunningService, runService, type ServiceOptions, startService } from './run-service.js';

/**
 * Parts that a service adds to the common frame: its modules, with the hub injected by its tokens, and its
 * port.
 */
export type ServiceParts = Readonly<{
  imports: readonly (DynamicModule | Type)[];
  port: number;
  /** Services that the process runs, for its metrics. Default: the one that it is named after. */
  services?: readonly string[];
}>;

const LOCAL_REDIS = 'redis://127.0.0.1:6379';

/**
 * The main program of a service in its own process: settings from the environment, a hub, health, metrics,
 * signals. `hasKey`: the service observes clusters or acts on them, and so needs the key of the hub.
 */
export const runMain = (
  service: string,
  partsOf: (hub: Hub) => Promise<ServiceParts>,
  { hasKey }: Readonly<{ hasKey: boolean }>,
): Promise<void> =>
  runProgram(service, async (settings, log, end) => {
    const redis = await readRedisAccess({ ...settings, redisUrl: settings.redisUrl || LOCAL_REDIS });
    const key = hasKey ? await HubKey.open(settings.hubKeyFile) : undefined;
    const hub = await openHub({ service, settings, log, store: redis, onUnusableRedis: end, ...(key && { key }) });
    const parts = await partsOf(hub);
    await runOn(hub, service, { ...parts, imports: importsOn(hub, service, parts) }, runService);
  });

/** {@link runMain} for a service that needs neither Redis nor content. */
export const runWithoutRedis = (
  service: string,
  partsOf: (frame: ServiceFrame) => Promise<ServiceParts>,
): Promise<void> =>
  runProgram(service, async (settings, log) => {
    const frame = await openFrame(settings, log);
    await runOn(frame, service, await partsOf(frame), runService);
  });

async function runProgram(
  service: string,
  run: (settings: Settings, log: Log, end: (error: unknown) => never) => Promise<void>,
): Promise<void> {
  boundGarbage();
  collectAtRest({ clock: new SystemClock() });
  const settings = settingsOrExit();
  const log = createLog({ service, level: settings.logLevel });
  logWarnings(log);
  warnOfUnknown(log);
  endWithParent();
  const end = (error: unknown): never => {
    log.error({ error }, `${service} could not start`);
    process.exit(error instanceof FlotillaError && error.retry === 'when-input-changes' ? 2 : 3);
  };
  await run(settings, log, end).catch(end);
}

/** Starts a service on a hub, in this process. */
export const startOn = (hub: Hub, service: string, parts: ServiceParts): Promise<RunningService> =>
  runOn(hub, service, { ...parts, imports: importsOn(hub, service, parts) }, startService);

/** The service that reads the reports of the others, and may not write there. */
const READER = 'console';

const importsOn = (hub: Hub, service: string, { imports }: ServiceParts): ServiceParts['imports'] => [
  hubModule(hub, service === READER ? undefined : service),
  ...imports,
  ...(hub.settings.queuePage ? [queuePageModule()] : []),
];

function runOn(
  { settings, log, metrics, access, tls, tracer }: Omit<ServiceFrame, 'clock'>,
  name: string,
  { imports, port, services = [name] }: ServiceParts,
  run: (options: ServiceOptions) => Promise<RunningService>,
): Promise<RunningService> {
  metrics.servicesRun(services);
  return run({
    name,
    imports,
    port,
    log,
    bindAddress: settings.bindAddress,
    hosts: [...settings.httpHosts, ...contentHost(settings)],
    health: { registry: metrics.registry, access },
    metricsPort: settings.metricsPort,
    ...(tls && { tls }),
    shutdownTimeoutMs: settings.shutdownTimeout,
    onEnd: tracer && (() => tracer.stop()),
  });
}

function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof InvalidSettings)) throw error;
    process.stderr.write(visibleText(`${error.message}\n`));
    process.exit(2);
  }
}

function warnOfUnknown(log: Log): void {
  for (const name of unknownSettings(process.env)) log.warn({ name }, 'no such setting; see docs/settings.md');
}

/** Other processes and CatalogSources use this name. */
const contentHost = ({ contentUrl }: Settings): readonly string[] =>
  contentUrl === '' ? [] : [new URL(contentUrl).hostname];
