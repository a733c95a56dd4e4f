import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Clock } from '#platform/clock/clock.port';
import type { AuditTrail } from '#platform/console/audit-trail.port';
import type { ServingTls } from '#platform/http/serving-tls';
import type { Log } from '#platform/telemetry/log.port';
import type { ViewReader } from '#platform/view/view-store.port';
import type { ApiReply } from '../api/api-reply.js';
import { NotAllowed, notFound, notSignedIn, RequestProblem, wrongHost } from '../api/problem.js';
import type { AuditLog, AuditSubject } from '../audit/audit-log.js';
import { catalogsWith } from '../catalog/ask-catalog.js';
import type { IconAddress, IconAddresses } from '../catalog/icon-addresses.js';
import { Icons } from '../catalog/icons.js';
import { EventStream } from '../events/event-stream.js';
import { KeptFacets } from '../lists/facets.js';
import type { QuestionTurns } from '../questions/question-turns.js';
import { openApiDocument } from '../routes/openapi.js';
import type { ApiRoute, RouteActions, RouteDecisions } from '../routes/route.js';
import type { LiveRows } from '../rows/live-rows.js';
import { VisibleRows } from '../rows/visible-rows.js';
import type { AccountSignIn } from '../sign-in/account-sign-in.js';
import type { Person } from '../sign-in/person.js';
import type { SignIn, SignInHeaders } from '../sign-in/sign-in.js';
import { type AccountRequest, AccountRoutes } from './account-routes.js';
import { clientKey } from './client-key.js';
import type { PageFiles } from './page-files.js';
import type { PublicAddress } from './public-address.js';
import { RateLimit, type RequestRate } from './rate-limit.js';
import { RouteRunner } from './route-runner.js';
import { securityHeaders } from './security-headers.js';
import { unknownProxyWarning } from './unknown-proxy.js';
import { checkWrite } from './write-check.js';

type ConsoleServerOptions = Readonly<{
  bindAddress: string;
  /** 0: any free one. */
  port: number;
  address: PublicAddress;
  /** Addresses and networks of trusted proxies: their `X-Forwarded-For` names the client. */
  trustedProxies: readonly string[];
  icons: IconAddresses;
  tls?: ServingTls;
  clock: Clock;
  log: Log;
  pages: PageFiles;
  signIns: readonly SignIn[];
  routes: readonly ApiRoute[];
  view: LiveRows;
  reader: ViewReader;
  audit: AuditLog;
  /** Part of the audit log that the page Changes shows. */
  trail?: AuditTrail;
  /** Sign-in with an account; absent: with a key alone. */
  accounts?: AccountSignIn;
  /** Without them nothing can be done, only seen. */
  actions?: Omit<RouteActions, 'publish'>;
  /** Without them pages show commands for decisions about rollouts. */
  decisions?: RouteDecisions;
  /** Without them no cluster is asked. */
  questions?: QuestionTurns;
  /** Limit of requests for one person; absent: as many as pages need. */
  requests?: RequestRate;
}>;

const MOST_BODY_BYTES = 262_144;
/** Names of bundles and packages in an address; the router’s own bound is 100. */
const LONGEST_PARAMETER = 3_000;

/** Answers a request whose address has a malformed `%`: the router finds nothing for it, and runs no hook. */
type BadUrl = (request: unknown, reply: unknown) => void;

const newServer = (tls: ServingTls | undefined, trustedProxies: readonly string[], badUrl: BadUrl) =>
  new FastifyAdapter({
    frameworkErrors: (_error: unknown, request: unknown, reply: unknown) => badUrl(request, reply),
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    forceCloseConnections: true,
    bodyLimit: MOST_BODY_BYTES,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    genReqId: () => randomUUID(),
    ...(tls && { https: tls.options }),
  }).getInstance();
type Instance = ReturnType<typeof newServer>;
type Request = Readonly<{
  headers: Readonly<Record<string, string | string[] | undefined>>;
  params: unknown;
  query: unknown;
  body: unknown;
  url: string;
  ip: string;
  id: string;
}>;
type Reply = {
  code(status: number): Reply;
  headers(values: Record<string, string | string[]>): Reply;
  send(body: unknown): Reply;
};

type CookieReply = ApiReply & Readonly<{ cookies?: readonly string[] }>;

/** Questions change nothing, and have bounds of their own. */
const isQuestion = ({ path }: ApiRoute): boolean => path.startsWith('/questions/');

const SIGN_INS = { perSecond: 1, burst: 30 };
const REQUESTS = { perSecond: 20, burst: 60 };
const WRITES = { perSecond: 1, burst: 60 };
const STRANGERS = { perSecond: 10, burst: 60 };
/** Icons that are asked for without a right to them, and returns of one sign-in. */
const STRANGE_ICONS = { perSecond: 1, burst: 30 };
const RETURNS = { perSecond: 0.1, burst: 3 };
const NOT_BUILT = 'The pages of the console are not built: run `make build`. Its API answers at /api/v1.\n';

/** Pages, API and stream of the console at a port of their own. */
export class ConsoleServer {
  readonly #server: Instance;
  readonly #api: RouteRunner;
  readonly #limits: RateLimit;
  readonly #strangers: RateLimit;
  readonly #writes: RateLimit;
  readonly #signIns: RateLimit;
  readonly #returns: RateLimit;
  readonly #strangeIcons: RateLimit;
  readonly #visible: VisibleRows;
  readonly stream: EventStream;
  #origin = '';
  #port = 0;

  constructor(private readonly options: ConsoleServerOptions) {
    const { view, clock, tls, reader, log, audit, trail, questions, icons, requests = REQUESTS } = options;
    this.stream = new EventStream(view, clock);
    this.#limits = new RateLimit(clock, requests);
    this.#strangers = new RateLimit(clock, STRANGERS);
    this.#writes = new RateLimit(clock, WRITES);
    this.#signIns = new RateLimit(clock, SIGN_INS);
    this.#returns = new RateLimit(clock, RETURNS);
    this.#strangeIcons = new RateLimit(clock, STRANGE_ICONS);
    const publish = ({ session }: Person, answer: unknown) =>
      this.stream.tell('action', answer, (person) => person.session === session);
    const actions = options.actions && { ...options.actions, publish };
    const { decisions } = options;
    const facets = new KeptFacets(clock);
    const visible = new VisibleRows(view);
    this.#visible = visible;
    const place = () => this.stream.place;
    const parts = { view, visible, facets, icons, reader, log, audit, trail, actions, decisions, questions, place };
    this.#api = new RouteRunner({ ...parts, build: options.pages.build });
    this.#server = newServer(tls, options.trustedProxies, (request, reply) => {
      void this.#badUrl(request as Request & Readonly<{ method: string }>, reply as Reply);
    });
    this.#protect();
    this.#routes();
  }

  /** The address of the console for browsers. */
  get origin(): string {
    return this.#origin;
  }

  /** The port of the console. */
  get port(): number {
    return this.#port;
  }

  async listen(): Promise<void> {
    const { bindAddress, port, tls, address } = this.options;
    await this.#server.listen({ host: bindAddress, port });
    tls?.renew(this.#server.server as never);
    const at = this.#server.server.address();
    const real = typeof at === 'object' && at !== null ? at.port : port;
    this.#port = real;
    const host = bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress;
    this.#origin = address.origin || `${address.isHttps ? 'https' : 'http'}://${host}:${real}`;
  }

  async close(): Promise<void> {
    this.stream.close();
    await this.#server.close();
  }

  #protect(): void {
    const { address, log } = this.options;
    const headers = { ...securityHeaders(address.isHttps) };
    const warnOfProxy = unknownProxyWarning(log);
    this.#server.addHook('onRequest', (request, reply, next) => {
      reply.headers(headers);
      if (address.origin !== '') warnOfProxy(request as never);
      if (address.answers(request.headers.host)) return next();
      write(reply as never, this.#api.problem(wrongHost()));
    });
    this.#server.setErrorHandler((error, _request, reply) => {
      write(reply as never, this.#api.problem(error));
    });
  }

  /** Pages show that the address leads nowhere. */
  async #badUrl(request: Request & Readonly<{ method: string }>, reply: Reply): Promise<void> {
    const { address } = this.options;
    reply.headers({ ...securityHeaders(address.isHttps) });
    const isOwn = address.answers(request.headers['host'] as string | undefined);
    write(reply, isOwn ? await this.#page(request, request.method) : this.#api.problem(wrongHost()));
  }

  #routes(): void {
    const { routes } = this.options;
    const document = JSON.stringify(openApiDocument(routes));
    this.#on('GET', '/openapi.json', async (request) => {
      await this.#person(request);
      return { status: 200, headers: { 'content-type': 'application/json' }, body: document };
    });
    for (const route of routes) {
      this.#on(route.method, `/api/v1${route.path}`, async (request) => {
        const person = await this.#person(request);
        const subject = subjectOf(person, request);
        try {
          if (route.method === 'POST') {
            if (!isQuestion(route)) this.#limit(this.#writes, person.session);
            checkWrite(request.headers, person, this.#origin);
          }
          const { headers, query, body } = request;
          const params = request.params as Readonly<Record<string, string>>;
          return await this.#api.answer(route, { person, headers, query, body, params, subject });
        } catch (error) {
          await this.#noteRefusal(subject, route, error);
          throw error;
        }
      });
    }
    this.#accountRoutes();
    this.#iconRoute();
    this.#server.get('/api/v1/events', async (request, reply) => {
      try {
        await this.#openStream(request as never, reply as never);
      } catch (error) {
        write(reply as never, this.#api.problem(error));
      }
    });
    this.#server.setNotFoundHandler(async (request, reply) => {
      write(reply as never, await this.#page(request as never, request.method));
    });
  }

  #iconRoute(): void {
    const { questions, view } = this.options;
    if (questions === undefined) return;
    const icons = new Icons(view, { ask: (question) => questions.ask(question, undefined) });
    this.#on('GET', '/icons/:id/:package/:hash', async (request) => {
      const { id = '', package: name = '', hash = '' } = request.params as Readonly<Record<string, string>>;
      const address = { id, name, hash };
      const client = await this.#iconClient(request, address);
      const reply = client === undefined ? undefined : await icons.reply(address, client);
      if (reply === undefined) throw notFound('such icon');
      return reply;
    });
  }

  /**
   * Returns the name, for turns, of a client that may get the icon: it has the icon's code, or sees its
   * content. Returns undefined for all others.
   *
   * @throws RequestProblem if others ask too often
   */
  async #iconClient(request: Request, address: IconAddress): Promise<string | undefined> {
    const { code } = request.query as Readonly<Record<string, unknown>>;
    if (this.options.icons.admits(address, code)) {
      await this.#api.ready();
      return clientKey(request.ip);
    }
    const person = await this.#known(request);
    if (person !== undefined) await this.#api.ready();
    const isSeen = person !== undefined && catalogsWith(this.#visible.of(person.rights), address.id).length > 0;
    if (isSeen) return person.session;
    this.#limit(this.#strangeIcons, clientKey(request.ip));
    return undefined;
  }

  #accountRoutes(): void {
    const { accounts, audit } = this.options;
    const routes = new AccountRoutes({ accounts, audit });
    const of = (request: Request, person: Pick<Person, 'name' | 'groups'> = STRANGER): AccountRequest => ({
      query: request.query as Readonly<Record<string, unknown>>,
      ...{ url: request.url, headers: credentialsOf(request), subject: subjectOf(person, request) },
    });
    this.#on('GET', '/auth/ways', async () => routes.ways());
    this.#on('GET', '/auth/login', async (request) => {
      this.#limit(this.#signIns, clientKey(request.ip));
      return routes.login(of(request));
    });
    this.#on('GET', '/auth/callback', async (request) => {
      // A return of a sign-in that began here is limited by that sign-in, and not by its address.
      const begun = await accounts?.begun(credentialsOf(request));
      if (begun === undefined) this.#limit(this.#signIns, clientKey(request.ip));
      else this.#limit(this.#returns, begun);
      return routes.callback(of(request));
    });
    this.#on('POST', '/auth/logout', async (request) => {
      const person = await this.#person(request);
      checkWrite(request.headers, person, this.#origin);
      return routes.logout(of(request, person), person);
    });
  }

  #on(method: 'GET' | 'POST', url: string, run: (request: Request) => Promise<CookieReply>): void {
    const handler = async (request: unknown, reply: unknown) => {
      const answer = await run(request as Request).catch((error: unknown) => this.#api.problem(error));
      return write(reply as Reply, answer);
    };
    this.#server.route({ method, url, handler });
  }

  async #noteRefusal(subject: AuditSubject, { method, path }: ApiRoute, error: unknown): Promise<void> {
    const { audit } = this.options;
    if (error instanceof NotAllowed) {
      const { verb, targets, because } = error;
      await audit.note(subject, { event: 'refused', verb, targets, because });
    } else if (error instanceof RequestProblem && error.status === 403)
      await audit.note(subject, { event: 'refused', verb: `${method} ${path}`, because: error.message });
  }

  async #openStream(request: Request, reply: { raw: ServerResponse; hijack(): void }): Promise<void> {
    const person = await this.#person(request);
    const current = () => this.#known(request, { isIdle: true });
    const todo = 'Close other tabs of the console.';
    if (!this.stream.hasRoom(person))
      throw new RequestProblem(429, 'too-many-streams', 'Too many pages are open.', todo, {
        'retry-after': '10',
      });
    this.options.view.start();
    reply.hijack();
    const last = request.headers['last-event-id'];
    const headers = securityHeaders(this.options.address.isHttps);
    this.stream.open(
      { person, response: reply.raw, ...(person.by === 'oidc' && { current }) },
      typeof last === 'string' ? last : undefined,
      headers,
    );
  }

  /** @throws RequestProblem without a sign-in, or if too much is asked */
  async #person(request: Request): Promise<Person> {
    const person = await this.#known(request);
    this.#limit(
      ...(person === undefined
        ? ([this.#strangers, clientKey(request.ip)] as const)
        : ([this.#limits, person.session] as const)),
    );
    if (person === undefined) throw notSignedIn();
    return person;
  }

  async #known(request: Request, how?: Readonly<{ isIdle?: boolean }>): Promise<Person | undefined> {
    for (const signIn of this.options.signIns) {
      const person = await signIn.personOf(credentialsOf(request), how);
      if (person !== undefined) return person;
    }
    return undefined;
  }

  #limit(limit: RateLimit, key: string): void {
    const wait = limit.take(key);
    if (wait === 0) return;
    const after = { 'retry-after': String(wait) };
    throw new RequestProblem(429, 'too-many-requests', 'Too many requests at once.', `Wait ${wait} s.`, after);
  }

  async #page({ url, headers }: Request, method: string): Promise<ApiReply> {
    const { pages } = this.options;
    const path = url.replace(/[?#].*$/, '');
    if ((method !== 'GET' && method !== 'HEAD') || /^\/(api|auth|icons)(\/|$)/.test(path))
      return this.#api.problem(notFound('such address'));
    const accepted = String(headers['accept-encoding'] ?? '');
    const file = (await pages.file(path, accepted)) ?? (isFilePath(path) ? undefined : await pages.entry(accepted));
    if (file !== undefined) return { status: 200, ...file };
    if (pages.areBuilt) return this.#api.problem(notFound('such file'));
    return { status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: NOT_BUILT };
  }
}

const subjectOf = ({ name, groups }: Pick<Person, 'name' | 'groups'>, { ip, id }: Request): AuditSubject => ({
  ...{ person: name, groups, address: ip, request: id },
});

/** Names of clusters, packages and rollouts have dots: only the first part of an address can be a file. */
const isFilePath = (path: string): boolean => /^\/(assets\/.*|[^/]*\.\w+)$/.test(path);

/** A person without a sign-in. */
const STRANGER = { name: '', groups: [] };

function credentialsOf({ headers }: Request): SignInHeaders {
  const text = (value: string | readonly string[] | undefined) => (typeof value === 'string' ? value : undefined);
  return { authorization: text(headers['authorization']), cookie: text(headers['cookie']) };
}

const write = (reply: Reply, { status, headers, body, cookies }: CookieReply): Reply =>
  reply
    .code(status)
    .headers({ ...headers, ...(cookies && cookies.length > 0 && { 'set-cookie': [...cookies] }) })
    .send(body);
