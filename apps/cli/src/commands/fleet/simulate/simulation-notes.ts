import { counted } from '#core/kernel/text/counted';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import { FleetFiles } from '#core/rollout/controller/record/subjects';
import type { FleetScenario } from '#core/rollout/simulation/scenario';
import type { RunSummary } from '#core/rollout/simulation/summary';
import { type LintedFleet, lintOf } from '../plan/fleet-lint.js';

/** Returns probable mistakes in the manifests, before they are played. */
export function notesBefore({ objects, clusters }: FleetScenario): string[] {
  const of = <K extends (typeof objects)[number]['kind']>(kind: K) =>
    objects.filter((object): object is Extract<(typeof objects)[number], { kind: K }> => object.kind === kind);
  const fleet: LintedFleet = {
    operators: of('FleetOperator'),
    catalogs: of('FleetCatalog'),
    strategies: of('FleetStrategy'),
    windows: of('FleetWindow'),
    files: new FleetFiles(objects),
    clusters: clusters.map(({ name, labels = {}, facts = {}, allowedNamespaces }) => ({
      ...{ name, labels, facts, allowedNamespaces },
    })),
  };
  const subjects = [...fleet.files.subjects.values()];
  if (subjects.length === 0) return ['there is no FleetOperator and no Staged FleetCatalog: nothing is rolled out'];
  return subjects.flatMap((subject) => lintOf(subject, fleet).map((note) => `${subject.rolloutPrefix}: ${note}`));
}

const MOST_CAUSES = 4;
const MOST_NAMES = 3;
const isFailure = (cause: string): boolean => cause.startsWith('Failed');

/** Describes rollouts that have not reached their target: the wait, or the failure. */
export class NotesAfter {
  readonly #rows = new Map<string, Map<string, FleetEvent>>();
  readonly #waves = new Map<string, Map<string, FleetEvent>>();

  watch(event: FleetEvent): void {
    if (event.kind !== 'cluster' && event.kind !== 'wave') return;
    const [all, part] = event.kind === 'cluster' ? [this.#rows, event.cluster] : [this.#waves, event.wave];
    const known = all.get(event.rollout ?? '') ?? new Map<string, FleetEvent>();
    all.set(event.rollout ?? '', known.set(part ?? '', event));
  }

  notes({ rollouts }: RunSummary): string[] {
    return rollouts
      .filter(({ phase }) => phase !== 'Completed' && phase !== 'Superseded')
      .map(({ name, phase, reason }) => {
        const parts = [...this.#wavesOf(name), ...this.#causesOf(name)];
        return [`${name} is ${phase} (${reason}) at the end`, ...parts].join('\n  ');
      });
  }

  /** Waves that have begun and are not complete. */
  #wavesOf(name: string): string[] {
    return [...(this.#waves.get(name)?.values() ?? [])]
      .filter(({ phase, reason }) => phase !== 'Complete' && !(phase === 'Pending' && reason === 'NotItsTurn'))
      .map(({ wave, phase, reason }) => `wave ${wave}: ${phase} (${reason})`);
  }

  /** Returns the causes of clusters that are not done: failures first, then the commonest cause. */
  #causesOf(name: string): string[] {
    const causes = new Map<string, string[]>();
    for (const { phase, reason, message, cluster } of this.#rows.get(name)?.values() ?? []) {
      if (phase === 'Done' || phase === 'Removed') continue;
      const cause = `${phase} (${reason}${message === '' ? '' : `: ${message}`})`;
      causes.set(cause, [...(causes.get(cause) ?? []), cluster ?? '']);
    }
    const sorted = [...causes].sort(
      ([one, a], [other, b]) => Number(isFailure(other)) - Number(isFailure(one)) || b.length - a.length,
    );
    const shown = sorted.slice(0, MOST_CAUSES).map(([cause, names]) => {
      const some = names.slice(0, MOST_NAMES).join(', ');
      return `${counted(names.length, 'cluster')} ${cause}: ${some}${names.length > MOST_NAMES ? ' …' : ''}`;
    });
    return sorted.length > MOST_CAUSES ? [...shown, `and ${sorted.length - MOST_CAUSES} more causes`] : shown;
  }
}
