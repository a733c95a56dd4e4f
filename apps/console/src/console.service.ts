import type { Registry } from 'prom-client';
import type { Clock } from '#platform/clock/clock.port';
import type { Settings } from '#platform/config/settings';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { AuditTrail } from '#platform/console/audit-trail.port';
import { consoleLink, openConsoleKey } from '#platform/console/console-key';
import { ConsolePolicyFile } from '#platform/console/console-policy-file';
import { HttpHubDecisions } from '#platform/console/decisions/http-hub-decisions';
import type { HubDecisions } from '#platform/console/decisions/hub-decisions.port';
import { claimNamesOf } from '#platform/console/proof/claim-names';
import type { PublicProofKeys } from '#platform/console/proof/proof-keys';
import { ProofMaker } from '#platform/console/proof/proof-maker';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import type { SessionStore } from '#platform/console/session-store.port';
import { ServingTls } from '#platform/http/serving-tls';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import { watchConsole } from '#platform/telemetry/metrics/console-metrics';
import type { ViewReader } from '#platform/view/view-store.port';
import { ActionBook } from './actions/action-book.js';
import { AuditLog } from './audit/audit-log.js';
import { IconAddresses } from './catalog/icon-addresses.js';
import { QuestionTurns } from './questions/question-turns.js';
import { actionRoutes } from './routes/action.routes.js';
import { catalogRoutes } from './routes/catalog.routes.js';
import { decisionRoutes } from './routes/decision.routes.js';
import { fleetRoutes } from './routes/fleet.routes.js';
import { listRoutes } from './routes/list.routes.js';
import { pictureRoutes } from './routes/picture.routes.js';
import { questionRoutes } from './routes/question.routes.js';
import type { ApiRoute } from './routes/route.js';
import { LiveRows } from './rows/live-rows.js';
import { ConsoleServer } from './serve/console-server.js';
import { PageFiles } from './serve/page-files.js';
import { type PublicAddress, publicAddress } from './serve/public-address.js';
import type { RequestRate } from './serve/rate-limit.js';
import { AccountSignIn } from './sign-in/account-sign-in.js';
import { Issuer, IssuerUnusable } from './sign-in/issuer.js';
import { provePerson } from './sign-in/prove-person.js';
import { SealedTexts } from './sign-in/sealed-text.js';
import { keySignIn, type SignIn } from './sign-in/sign-in.js';

/** The parts that the console uses. */
export type ConsoleParts = Readonly<{
  settings: Settings;
  clock: Clock;
  log: Log;
  registry: Registry;
  reader: ViewReader;
  /** Sends actions to the appliers; absent: the console only shows and does nothing. */
  sender?: ActionSender;
  /** Asks the pollers about clusters; absent: the console only shows rows. */
  asker?: QuestionAsker;
  /** Makes decisions about rollouts; absent: the hub API that is set, if there is one. */
  hubDecisions?: HubDecisions;
  /** Public keys of applier and poller in this process; absent: those of the file that is set. */
  proofKeys?: PublicProofKeys;
  /** Default: the folder that the build puts the pages in. */
  pagesFolder?: string;
  /** Store for sessions of accounts; needed if an issuer is set. */
  sessions?: SessionStore;
  /** Store of sign-ins and refusals for the page Changes. */
  trail?: AuditTrail;
  /** Ways to sign in beside the key. */
  signIns?: readonly SignIn[];
  /** Limit of requests for one person; absent: as many as pages need. */
  requests?: RequestRate;
}>;

export const API_ROUTES: readonly ApiRoute[] = [
  ...[...fleetRoutes, ...listRoutes, ...catalogRoutes, ...pictureRoutes],
  ...[...questionRoutes, ...actionRoutes, ...decisionRoutes],
];

type OpenedConsole = Readonly<{
  view: LiveRows;
  server: ConsoleServer;
  tls: ServingTls | undefined;
  policy: ConsolePolicyFile;
  book: ActionBook | undefined;
  key: string;
  proofs: ProofMaker;
  hubDecisions: HubDecisions | undefined;
}>;

/** The console: rows in memory, and the server of pages, API and stream. */
export class ConsoleService {
  private constructor(
    private readonly opened: OpenedConsole,
    /** True if the pages are built; the API answers anyway. */
    readonly hasPages: boolean,
  ) {}

  /**
   * Opens the console and listens.
   *
   * @throws ConsoleUnprotected if others could read the traffic
   */
  static async open(parts: ConsoleParts): Promise<ConsoleService> {
    const { settings, clock, log, reader, trail } = parts;
    const { consoleTlsCertFile: certFile, consoleTlsKeyFile: keyFile, bindAddress } = settings;
    const hasTls = certFile !== '' || keyFile !== '';
    const address = publicAddress({ bindAddress, externalUrl: settings.consoleExternalUrl, hasTls });
    const policy = await ConsolePolicyFile.open(settings.consolePolicyFile, { clock, log });
    const tls = await ServingTls.open({ certFile, keyFile }, { clock, log });
    const key = await openConsoleKey(settings.consoleKeyFile);
    const view = new LiveRows({ reader, clock, log });
    const pages = await PageFiles.open(parts.pagesFolder);
    const accounts = await accountSignIn(parts, address, policy);
    const hubDecisions = parts.hubDecisions ?? (await hubDecisionsOf(settings));
    const book = parts.sender && new ActionBook({ sender: parts.sender, clock, log });
    const proofs = new ProofMaker(parts.proofKeys ?? settings.consoleProofKeysFile, clock);
    const prove = provePerson(proofs);
    const questionTurns = (asker: QuestionAsker) =>
      new QuestionTurns({
        ...{ asker, prove },
        observe: (kind, seconds) => metrics.questionSeconds.observe({ kind }, seconds),
        now: () => clock.now(),
      });
    const count = (verb: string, outcome: string) => metrics.actions.inc({ verb, outcome });
    const server = new ConsoleServer({
      ...{ bindAddress, port: settings.consolePort, address, clock, log, reader, view },
      trustedProxies: settings.consoleTrustedProxies,
      icons: new IconAddresses(key, clock),
      pages,
      signIns: [keySignIn(key), ...(accounts === undefined ? [] : [accounts]), ...(parts.signIns ?? [])],
      ...(accounts && { accounts }),
      audit: new AuditLog({ file: settings.consoleAuditFile, clock, log, ...(trail && { trail }) }),
      ...(trail && { trail }),
      routes: API_ROUTES,
      ...(parts.sender && book && { actions: { sender: parts.sender, prove, book, count } }),
      ...(hubDecisions && { decisions: { hub: hubDecisions, count } }),
      ...(parts.asker && { questions: questionTurns(parts.asker) }),
      ...(tls && { tls }),
      ...(parts.requests && { requests: parts.requests }),
    });
    await server.listen();
    // Only after listening: if the port is taken, nothing is left behind, and another port can be tried.
    const metrics = watchConsole(parts.registry, {
      rows: () => view.size,
      streams: () => server.stream.size,
      viewAgeSeconds: () => (view.asOf === undefined ? 0 : (clock.now().getTime() - view.asOf.getTime()) / 1_000),
    });
    return new ConsoleService({ view, server, tls, policy, book, key, proofs, hubDecisions }, pages.areBuilt);
  }

  get origin(): string {
    return this.opened.server.origin;
  }

  /** How many browsers follow the fleet. */
  get streams(): number {
    return this.opened.server.stream.size;
  }

  /** The port of the console. */
  get port(): number {
    return this.opened.server.port;
  }

  /** Opens the console signed in. */
  get link(): string {
    return consoleLink(this.opened.server.origin, this.opened.key);
  }

  /** Reads the rows now; otherwise the first request does. */
  follow(): void {
    this.opened.view.start();
  }

  async stop(): Promise<void> {
    const { server, book, tls, policy, view, hubDecisions } = this.opened;
    await server.close();
    await book?.close();
    await hubDecisions?.close();
    tls?.stop();
    policy.stop();
    await view.stop();
  }

  /** Ready before the first question: rows are read when they are needed. */
  get check(): HealthCheck {
    return {
      name: 'console',
      check: async () => {
        const { policy, proofs, server } = this.opened;
        const problems = [policy.problem, (await proofs.problem()) ?? ''].filter((one) => one !== '');
        const detail = [`serves pages at ${server.origin}`, ...problems].join('; ');
        return problems.length === 0 ? { up: true, detail } : { up: true, degraded: true, detail };
      },
    };
  }
}

/**
 * Opens the hub API for decisions of people, if it is set.
 *
 * @throws HubApiUnusable
 */
async function hubDecisionsOf(settings: Settings): Promise<HubDecisions | undefined> {
  const { consoleHubApi: server, consoleHubApiCaFile: caFile } = settings;
  return server === '' ? undefined : HttpHubDecisions.open({ server, caFile });
}

/**
 * Creates the sign-in with accounts, if an issuer is set.
 *
 * @throws IssuerUnusable, SessionKeyUnusable
 */
async function accountSignIn(
  { settings, sessions, clock, log }: ConsoleParts,
  { isHttps, origin }: PublicAddress,
  policy: ConsolePolicyFile,
): Promise<AccountSignIn | undefined> {
  const { consoleOidcIssuer: issuer, consoleOidcClientId: clientId, consoleOidcScopes: scopes } = settings;
  if (issuer === '') return undefined;
  if (!isHttps || origin === '')
    throw new IssuerUnusable('FLOTILLA_CONSOLE_OIDC_ISSUER needs FLOTILLA_CONSOLE_EXTERNAL_URL with https');
  if (sessions === undefined) throw new IssuerUnusable('sessions of accounts need the hub’s Redis');
  const { consoleOidcClientSecretFile: clientSecretFile, outboundAddresses: addresses } = settings;
  const asked = { issuer, clientId, scopes, clientSecretFile, addresses };
  return new AccountSignIn({
    issuer: new Issuer(asked, () => `${origin}/auth/callback`),
    claims: claimNamesOf(settings),
    sealed: await SealedTexts.open(settings.consoleSessionKeyFile),
    policy: () => policy.policy,
    ...{ sessions, clock, log },
  });
}
