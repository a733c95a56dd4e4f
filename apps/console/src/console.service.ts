import type { Registry } from 'prom-client';
import type { Clock } from '#platform/clock/clock.port';
import type { Settings } from '#platform/config/settings';
import { consoleLink, openConsoleKey } from '#platform/http-access/console-key';
import { ConsolePolicyFile } from '#platform/http-access/console-policy-file';
import { ServingTls } from '#platform/http-access/serving-tls';
import { watchConsole } from '#platform/telemetry/console-metrics';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { ViewReader } from '#platform/view/view-store.port';
import { fleetRoutes } from './api/fleet.routes.js';
import { listRoutes } from './api/list.routes.js';
import type { ApiRoute } from './api/route.js';
import { AuditLog } from './audit/audit-log.js';
import { ConsoleServer } from './serve/console-server.js';
import { PageFiles } from './serve/page-files.js';
import { publicAddress } from './serve/public-address.js';
import { keySignIn, type SignIn } from './sign-in/sign-in.js';
import { LiveRows } from './view/live-rows.js';

/** What the console stands on. */
export type ConsoleParts = Readonly<{
  settings: Settings;
  clock: Clock;
  log: Log;
  registry: Registry;
  reader: ViewReader;
  /** Default: where the build puts the pages. */
  pagesFolder?: string;
  /** Ways to sign in beside the key. */
  signIns?: readonly SignIn[];
}>;

export const API_ROUTES: readonly ApiRoute[] = [...fleetRoutes, ...listRoutes];

/** The console: rows in memory, and the server of pages, API and stream. */
export class ConsoleService {
  private constructor(
    private readonly parts: ConsoleParts,
    private readonly view: LiveRows,
    private readonly server: ConsoleServer,
    private readonly tls: ServingTls | undefined,
    private readonly policy: ConsolePolicyFile,
    private readonly key: string,
    /** Whether the pages are built; the API answers anyway. */
    readonly hasPages: boolean,
  ) {}

  /** Listens. @throws ConsoleUnprotected where others could read what is sent */
  static async open(parts: ConsoleParts): Promise<ConsoleService> {
    const { settings, clock, log, reader } = parts;
    const { consoleTlsCertFile: certFile, consoleTlsKeyFile: keyFile, bindAddress } = settings;
    const hasTls = certFile !== '' || keyFile !== '';
    const address = publicAddress({ bindAddress, externalUrl: settings.consoleExternalUrl, hasTls });
    const policy = await ConsolePolicyFile.open(settings.consolePolicyFile, { clock, log });
    const tls = await ServingTls.open({ certFile, keyFile }, { clock, log });
    const key = await openConsoleKey(settings.consoleKeyFile);
    const view = new LiveRows({ reader, clock, log });
    const pages = await PageFiles.open(parts.pagesFolder);
    const server = new ConsoleServer({
      ...{ bindAddress, port: settings.consolePort, address, clock, log, reader, view },
      pages,
      signIns: [keySignIn(key), ...(parts.signIns ?? [])],
      audit: new AuditLog({ file: settings.consoleAuditFile, clock, log }),
      routes: API_ROUTES,
      ...(tls && { tls }),
    });
    const service = new ConsoleService(parts, view, server, tls, policy, key, pages.areBuilt);
    service.#measure(parts.registry);
    await server.listen();
    return service;
  }

  get origin(): string {
    return this.server.origin;
  }

  /** Opens the console signed in. */
  get link(): string {
    return consoleLink(this.server.origin, this.key);
  }

  /** Reads the rows now; otherwise the first request does. */
  follow(): void {
    this.view.start();
  }

  async stop(): Promise<void> {
    await this.server.close();
    this.tls?.stop();
    this.policy.stop();
    await this.view.stop();
  }

  /** Ready before the first question: rows are read when they are needed. */
  get check(): HealthCheck {
    return {
      name: 'console',
      check: async () => {
        const { problem } = this.policy;
        const detail = `serves pages at ${this.server.origin}`;
        return problem === '' ? { up: true, detail } : { up: true, degraded: true, detail: `${detail}; ${problem}` };
      },
    };
  }

  #measure(registry: Registry): void {
    const { view, server } = this;
    const { clock } = this.parts;
    watchConsole(registry, {
      rows: () => view.size,
      streams: () => server.stream.size,
      viewAgeSeconds: () => (view.asOf === undefined ? 0 : (clock.now().getTime() - view.asOf.getTime()) / 1_000),
    });
  }
}
