import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { readSettings } from '../config/settings.js';
import { PROJECT_ROOT } from '../files/project-root.js';
import { type Hub, openHub } from '../hub/hub.js';
import { hubModule } from '../hub/hub.module.js';
import { HubKey } from '../keys/hub-key.js';
import { silentLog } from '../telemetry/log.port.js';
import { healthModule } from './health.module.js';
import { Shutdown, shutdownModule } from './shutdown.js';

/** A service on a hub in memory, and its answers over HTTP. */
export type TestedService = Readonly<{
  hub: Hub;
  app: NestFastifyApplication;
  /** Parts that have ended, in this order. */
  ended: readonly string[];
  /** The names of all checks of `/healthz`, sorted. */
  checks(): Promise<readonly string[]>;
  /** Ends the service as a signal does, and removes its files. */
  stop(): Promise<void>;
}>;

/** No cluster answers at this address, and the tests need none. */
const KUBECONFIG = {
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'east' },
  clusters: [{ name: 'east', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'east', user: { token: 'x' } }],
  contexts: [{ name: 'east', context: { cluster: 'east', user: 'east' } }],
};

export type TestedServiceOptions = Readonly<{
  name: string;
  environment?: Readonly<Record<string, string>>;
  /** True if it has no store: the fleet controller alone. */
  hasNoStore?: boolean;
  /** `ended` records a part that has ended. */
  modulesOf: (hub: Hub, ended: (part: string) => void) => Promise<readonly (DynamicModule | Type)[]>;
}>;

/** Compiles the modules of a service with Nest's own test module, and starts them. */
export async function startTestedService({
  name,
  environment,
  hasNoStore = false,
  modulesOf,
}: TestedServiceOptions): Promise<TestedService> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-service-'));
  await writeFile(join(folder, 'kubeconfig'), JSON.stringify(KUBECONFIG), { mode: 0o600 });
  const settings = readSettings({
    FLOTILLA_KUBECONFIG: join(folder, 'kubeconfig'),
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
    FLOTILLA_CONSOLE_PORT: '0',
    ...environment,
  });
  const hub = await openHub({ service: name, settings, log: silentLog, store: 'memory', key: HubKey.random() });
  const ended: string[] = [];
  const shutdown = new RecordedShutdown(ended);
  const own = await modulesOf(hub, (part) => ended.push(part));
  const imports = [shutdownModule(shutdown), ...(hasNoStore ? [] : [hubModule(hub, name)]), ...own];
  const health = healthModule({ registry: hub.metrics.registry, access: hub.access });
  const testing = await Test.createTestingModule({ imports: [...imports, health] }).compile();
  const app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
  await app.init();
  return {
    ...{ hub, app, ended },
    checks: async () => {
      const { details } = (await app.inject({ url: '/healthz' })).json<{ details: object }>();
      return Object.keys(details).toSorted();
    },
    stop: async () => {
      shutdown.begin();
      await app.close();
      await hub.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

class RecordedShutdown extends Shutdown {
  constructor(private readonly ended: string[]) {
    super(5_000, { error: (_fields, message) => void ended.push(message) });
  }

  override async drain(part: (deadlineMs: number) => Promise<unknown>): Promise<void> {
    await super.drain(part);
    this.ended.push('work');
  }
}

/** The checks that docs/health.md names for a service, sorted; those of a fleet only with `fleet`. */
export async function documentedChecks(
  service: string,
  { fleet = false }: Readonly<{ fleet?: boolean }> = {},
): Promise<readonly string[]> {
  const page = await readFile(join(PROJECT_ROOT, 'docs/health.md'), 'utf8');
  const table = page.slice(page.indexOf('| check of `/healthz` |')).split('\n\n', 1)[0] ?? '';
  const rows = [...table.matchAll(/^\| `([\w-]+)` \| ([^|]+) \|/gm)].map(([, check = '', of = '']) => ({ check, of }));
  return rows
    .filter(({ of }) => isOf(of, service))
    .filter(({ of }) => fleet || !of.includes('FLOTILLA_FLEET'))
    .map(({ check }) => (check === 'redis' ? 'store' : check))
    .toSorted();
}

/** True if the services of a row include this one: the row says all of them but some, or names it. */
function isOf(services: string, service: string): boolean {
  if (services.startsWith('`flotilla up`')) return false;
  return services.startsWith('all') ? !services.includes(`but the ${service}`) : services.includes(service);
}
