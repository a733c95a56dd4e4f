import { Inject, Injectable } from '@nestjs/common';
import type { Hub } from '#platform/hub/hub';
import { CLUSTERS, HUB } from '#platform/hub/hub-tokens';
import { KubeApiError } from '#platform/kube/client/kube-client.port';
import { troubleAdvice, troubleOf } from '#platform/kube/errors/api-server-trouble';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';
import { outagesOf } from '#platform/telemetry/outage-log';
import { ClusterViews } from './cluster-views.js';

/** `failed`: the first time since the last answer. */
type Contact = { answered?: number; failed?: number; asked?: number; reason: string; asking: boolean };

/** The part of an outage that requests are, in addition to watches. */
const REQUESTS = 'requests';

const ASK_EVERY_MS = 30_000;
/** API servers send each watch a bookmark about once a minute: as long as these come, nothing is asked. */
const ASK_WATCHED_EVERY_MS = 90_000;
/** Each request to an idle cluster opens a connection. The poller watches it, and reports its loss. */
const ASK_IDLE_EVERY_MS = 600_000;
/** One broken request is no reason for a warning; two in a row are. */
const AWAY_AFTER_MS = 60_000;
const NAMED = 10;

/**
 * Health check of the connections to managed clusters. Work that reached a cluster counts as an answer; a
 * cluster without work is asked from time to time. One unreachable cluster degrades the service. The service
 * is not ready only if all clusters are unreachable, since then most likely the service itself is cut off.
 */
@Injectable()
export class ClusterContact {
  readonly #contacts = new Map<string, Contact>();
  #cancel: (() => void) | undefined;

  constructor(
    @Inject(HUB) private readonly hub: Pick<Hub, 'clock' | 'log'>,
    @Inject(CLUSTERS) private readonly clusters: Pick<ServiceClusters, 'known' | 'client' | 'problemOf'>,
    /** An idle cluster is asked rarely, and one that a watch reports from is not asked. */
    @Inject(ClusterViews) private readonly views: Pick<ClusterViews, 'isIdle' | 'lastSeen'>,
  ) {
    this.update();
  }

  readonly check: HealthCheck = { name: 'clusters', check: async () => this.#health() };

  start(): void {
    this.#askAll();
  }

  stop(): void {
    this.#cancel?.();
  }

  /**
   * Notes the end of work on a cluster: with an answer of its API server, or without one. An API server that
   * fails, or does not accept the login, has not answered. A request finds out if it fails at everything.
   */
  noteEnd(cluster: string, error?: unknown): void {
    if (KubeApiError.is(error) && !error.answered) this.#failed(cluster, error.message);
    else if (KubeApiError.is(error) && troubleAdvice(error) !== undefined) this.#askSoon(cluster);
    else if (error === undefined || KubeApiError.is(error)) this.#answered(cluster);
  }

  /** Clusters have come or gone. */
  update(): void {
    const names = new Set(this.clusters.known());
    for (const name of this.#contacts.keys()) if (!names.has(name)) this.#forget(name);
    for (const name of names) {
      if (!this.#contacts.has(name)) this.#contacts.set(name, { reason: 'no answer yet', asking: false });
    }
  }

  #forget(cluster: string): void {
    this.#contacts.delete(cluster);
    outagesOf(this.hub.log).stopped(cluster, REQUESTS);
  }

  #askAll(): void {
    this.update();
    const now = this.#now();
    for (const [at, [cluster, contact]] of [...this.#contacts].entries()) {
      this.#listen(cluster, contact);
      if (now - (contact.answered ?? 0) >= this.#pauseMs(cluster, contact, at)) this.#askNow(cluster);
    }
    this.#cancel = this.hub.clock.after(ASK_EVERY_MS, () => this.#askAll());
  }

  /**
   * Returns the pause before a cluster is asked again. After a failure it is asked as often as one with work.
   * Idle ones are not asked all at once.
   */
  #pauseMs(cluster: string, { failed }: Contact, at: number): number {
    if (failed !== undefined) return ASK_EVERY_MS;
    if (!this.views.isIdle(cluster)) return this.#isHeard(cluster) ? ASK_WATCHED_EVERY_MS : ASK_EVERY_MS;
    return ASK_IDLE_EVERY_MS * (0.5 + at / this.#contacts.size);
  }

  #isHeard(cluster: string): boolean {
    const heard = this.views.lastSeen(cluster)?.getTime() ?? 0;
    return this.#now() - heard < ASK_WATCHED_EVERY_MS;
  }

  #askSoon(cluster: string): void {
    const { answered = 0, asked = 0 } = this.#contacts.get(cluster) ?? {};
    if (this.#now() - Math.max(answered, asked) >= ASK_EVERY_MS) this.#askNow(cluster);
  }

  #askNow(cluster: string): void {
    const contact = this.#contacts.get(cluster);
    if (contact === undefined || contact.asking) return;
    const asking = this.clusters.client(cluster)?.serverVersion();
    if (asking !== undefined) void this.#ask(cluster, contact, asking);
  }

  #listen(cluster: string, contact: Contact): void {
    const heard = this.views.lastSeen(cluster)?.getTime() ?? 0;
    if (heard <= (contact.answered ?? 0) || heard <= (contact.failed ?? 0)) return;
    this.#answered(cluster, heard);
  }

  async #ask(cluster: string, contact: Contact, asking: Promise<unknown>): Promise<void> {
    contact.asking = true;
    contact.asked = this.#now();
    try {
      await asking;
      this.#answered(cluster);
    } catch (error) {
      this.#failed(cluster, troubleOf(error));
    } finally {
      contact.asking = false;
    }
  }

  #answered(cluster: string, at = this.#now()): void {
    const contact = this.#contacts.get(cluster);
    if (contact === undefined) return;
    contact.answered = at;
    delete contact.failed;
    outagesOf(this.hub.log).recovered(cluster, REQUESTS);
  }

  #failed(cluster: string, reason: string): void {
    const contact = this.#contacts.get(cluster);
    if (contact === undefined) return;
    contact.failed ??= this.#now();
    contact.reason = oneLine(reason);
    if (this.#isAway(contact)) outagesOf(this.hub.log).failed(cluster, REQUESTS, reason, this.#now());
  }

  #isAway({ answered, failed }: Contact): boolean {
    if (answered === undefined) return true;
    return failed !== undefined && this.#now() - Math.max(answered, failed - ASK_EVERY_MS) >= AWAY_AFTER_MS;
  }

  #health(): Health {
    this.update();
    const all = [...this.#contacts];
    const away = all.filter(([, contact]) => this.#isAway(contact));
    const clusters = all.map(([cluster]) => cluster).sort();
    if (away.length === 0)
      return { up: true, detail: `${all.length} of ${all.length} clusters answer`, clusters, away: [] };
    const named = away.slice(0, NAMED).map(([cluster, contact]) => `${cluster} (${this.#why(cluster, contact)})`);
    const more = away.length > NAMED ? ` and ${away.length - NAMED} more` : '';
    const detail = `${away.length} of ${all.length} clusters do not answer: ${named.join(', ')}${more}`;
    const names = away.map(([cluster]) => cluster);
    const troubles = Object.fromEntries(
      away.map(([cluster, contact]) => [cluster, `the cluster does not answer: ${this.#why(cluster, contact)}`]),
    );
    return { up: away.length < all.length, degraded: true, detail, clusters, away: names, troubles };
  }

  #why(cluster: string, { answered, reason }: Contact): string {
    const known = answered === undefined ? this.clusters.problemOf(cluster) : undefined;
    return known === undefined ? reason : oneLine(known);
  }

  #now(): number {
    return this.hub.clock.now().getTime();
  }
}

/** TLS errors come in several lines; a health page has one for each cluster. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
