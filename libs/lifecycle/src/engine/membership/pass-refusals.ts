import { Inject, Injectable } from '@nestjs/common';
import { type Subject, subjectName } from '#core/kernel/subject/subject';
import { counted } from '#core/kernel/text/counted';
import type { Clock } from '#platform/clock/clock.port';
import { CLUSTERS, HUB } from '#platform/hub/hub-tokens';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';
import type { ClusterTroubles } from '#platform/telemetry/metrics/cluster-troubles';
import type { PassOutcome } from '../passes/reconcile-loop.js';
import { ClusterViews } from './cluster-views.js';

type PassRefusalsHub = Readonly<{
  clock: Pick<Clock, 'now'>;
  metrics: Readonly<{ troubles: Pick<ClusterTroubles, 'refused'> }>;
}>;

type Refused = { times: number; lastMs: number };
type RefusedInCluster = { subjects: Map<string, Refused>; latest: string };

/** A single refusal may be of the moment: a namespace that is being deleted, a webhook that restarts. */
const COUNTED_FROM = 2;
/** A refused pass is repeated sooner; one that was not has gone, or is another applier's. */
const FORGET_AFTER_MS = 3_600_000;
const NAMED = 5;
const LONGEST_REASON = 300;

/**
 * Subjects with a read or a write that the API server refuses, in one pass after the other: the applier lacks
 * a right, or a webhook denies the request. A health check and a metric report them until a pass ends without
 * a refusal. The check also reports watches that the applier has no right to open. Without them its passes
 * read live, and changes that only these watches show start no pass.
 */
@Injectable()
export class PassRefusals {
  readonly #refused = new Map<string, RefusedInCluster>();

  constructor(
    @Inject(HUB) private readonly hub: PassRefusalsHub,
    @Inject(CLUSTERS) private readonly clusters: Pick<ServiceClusters, 'known'>,
    @Inject(ClusterViews) private readonly views: Pick<ClusterViews, 'deniedWatches'>,
  ) {}

  readonly check: HealthCheck = { name: 'writes', check: async () => this.#health() };

  /** The end of a pass of the subject. */
  note(subject: Subject, outcome: PassOutcome): void {
    const { cluster } = subject;
    if (outcome.result === 'refused') this.#add(subject, outcome.error.message);
    else if (this.#refused.get(cluster)?.subjects.delete(subjectName(subject)) === true) this.#report(cluster);
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    this.#refused.delete(cluster);
  }

  #add(subject: Subject, message: string): void {
    const { cluster } = subject;
    const name = subjectName(subject);
    const known = this.#refused.get(cluster) ?? { subjects: new Map<string, Refused>(), latest: '' };
    const { times } = known.subjects.get(name) ?? { times: 0 };
    known.subjects.set(name, { times: times + 1, lastMs: this.hub.clock.now().getTime() });
    known.latest = `${plainName(subject)}: ${oneLine(message)}`;
    this.#refused.set(cluster, known);
    this.#report(cluster);
  }

  #report(cluster: string): void {
    const known = this.#refused.get(cluster);
    this.hub.metrics.troubles.refused(cluster, known === undefined ? 0 : countOf(known));
    if (known?.subjects.size === 0) this.#refused.delete(cluster);
  }

  #tidy(): void {
    const oldest = this.hub.clock.now().getTime() - FORGET_AFTER_MS;
    for (const [cluster, { subjects }] of this.#refused) {
      const old = [...subjects].filter(([, { lastMs }]) => lastMs < oldest);
      for (const [name] of old) subjects.delete(name);
      if (old.length > 0) this.#report(cluster);
    }
  }

  #health(): Health {
    this.#tidy();
    const clusters = [...this.clusters.known()].sort();
    const troubles = Object.fromEntries(
      clusters.flatMap((cluster) => {
        const trouble = this.#troubleOf(cluster);
        return trouble === undefined ? [] : [[cluster, trouble] as const];
      }),
    );
    const refused = Object.entries(troubles).map(([cluster, trouble]) => `${cluster} (${trouble})`);
    if (refused.length === 0) return { up: true, detail: 'no cluster refuses requests', clusters };
    const more = refused.length > NAMED ? ` and ${refused.length - NAMED} more` : '';
    const detail =
      `${refused.length} of ${clusters.length} clusters refuse requests: ${refused.slice(0, NAMED).join('; ')}${more}; ` +
      'the verb "clusters check" lists rights that are missing';
    return { up: true, degraded: true, detail, clusters, troubles };
  }

  #troubleOf(cluster: string): string | undefined {
    const known = this.#refused.get(cluster);
    const count = known === undefined ? 0 : countOf(known);
    const [watch, ...others] = this.views.deniedWatches(cluster);
    const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more watch', 'more watches')}`;
    const texts = [
      ...(known === undefined || count === 0 ? [] : [`${counted(count, 'subject')}, ${known.latest}`]),
      ...(watch === undefined ? [] : [`watches: ${oneLine(watch)}${more}`]),
    ];
    return texts.length === 0 ? undefined : texts.join('; ');
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, LONGEST_REASON);

const countOf = ({ subjects }: RefusedInCluster): number =>
  [...subjects.values()].filter(({ times }) => times >= COUNTED_FROM).length;

function plainName(subject: Subject): string {
  if ('namespace' in subject) return `namespace ${subject.namespace}`;
  return 'extension' in subject ? `ClusterExtension ${subject.extension}` : `ClusterObjectSet ${subject.objectSet}`;
}
