import { type Subject, subjectName } from '#core/kernel/subject/subject';
import { counted } from '#core/kernel/text/counted';
import type { Clock } from '#platform/clock/clock.port';
import type { ClusterTroubles } from '#platform/telemetry/cluster-troubles';
import type { Health, HealthCheck } from '#platform/telemetry/health-check';
import type { PassOutcome } from './reconcile-loop.js';

export type PassRefusalsOptions = Readonly<{
  clock: Pick<Clock, 'now'>;
  troubles: Pick<ClusterTroubles, 'refused'>;
  /** Names of all clusters that are managed now. */
  clusters: () => readonly string[];
  /** Answers of a cluster's API server that refuse a watch, one text a kind. */
  deniedWatches?: (cluster: string) => readonly string[];
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
 * The subjects of which the API server refuses a read or a write, in one pass after the other: the applier
 * lacks a right, or a webhook denies what it does. Reported by a health check and by a metric, until a pass
 * ends without a refusal. The check also reports watches that the applier may not have: without them its
 * passes read live, and changes that only these watches show start no pass.
 */
export class PassRefusals {
  readonly #clusters = new Map<string, RefusedInCluster>();

  constructor(private readonly options: PassRefusalsOptions) {}

  readonly check: HealthCheck = { name: 'writes', check: async () => this.#health() };

  /** The end of a pass of the subject. */
  note(subject: Subject, outcome: PassOutcome): void {
    const { cluster } = subject;
    if (outcome.result === 'refused') this.#add(subject, outcome.error.message);
    else if (this.#clusters.get(cluster)?.subjects.delete(subjectName(subject)) === true) this.#report(cluster);
  }

  /** The cluster has left. */
  forget(cluster: string): void {
    this.#clusters.delete(cluster);
  }

  #add(subject: Subject, message: string): void {
    const { cluster } = subject;
    const name = subjectName(subject);
    const known = this.#clusters.get(cluster) ?? { subjects: new Map<string, Refused>(), latest: '' };
    const { times } = known.subjects.get(name) ?? { times: 0 };
    known.subjects.set(name, { times: times + 1, lastMs: this.options.clock.now().getTime() });
    known.latest = `${plainName(subject)}: ${oneLine(message)}`;
    this.#clusters.set(cluster, known);
    this.#report(cluster);
  }

  #report(cluster: string): void {
    const known = this.#clusters.get(cluster);
    this.options.troubles.refused(cluster, known === undefined ? 0 : countOf(known));
    if (known?.subjects.size === 0) this.#clusters.delete(cluster);
  }

  #tidy(): void {
    const oldest = this.options.clock.now().getTime() - FORGET_AFTER_MS;
    for (const [cluster, { subjects }] of this.#clusters) {
      const old = [...subjects].filter(([, { lastMs }]) => lastMs < oldest);
      for (const [name] of old) subjects.delete(name);
      if (old.length > 0) this.#report(cluster);
    }
  }

  #health(): Health {
    this.#tidy();
    const clusters = [...this.options.clusters()].sort();
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
    const known = this.#clusters.get(cluster);
    const count = known === undefined ? 0 : countOf(known);
    const [watch, ...others] = this.options.deniedWatches?.(cluster) ?? [];
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
