import { CHANGES, type ChangeKind } from '../../kernel/api/fleet/fleet-strategy.js';

import type { FaultSubject, Faults } from './faults.js';

type Offer = Readonly<{ subject: string; to: string }>;
const keyOf = ({ subject, to }: Offer): string => `${subject} ${to}`;

/** The catalogs of the simulation: they lead to every target, until the script says otherwise. */
export class VirtualCatalogs {
  readonly #withdrawn = new Set<string>();
  readonly #deprecated = new Set<string>();
  readonly #leadTo = new Map<string, string>();

  /** Leads all clusters to another target. Plans to the one before are not made any more. */
  lead({ subject, to }: Offer): void {
    this.#leadTo.set(subject, to);
  }

  /** Returns the newest target of a subject. Undefined before its first release. */
  leadTo(subject: string): string | undefined {
    return this.#leadTo.get(subject);
  }

  withdraw(offer: Offer): void {
    this.#withdrawn.add(keyOf(offer));
  }

  isWithdrawn(offer: Offer): boolean {
    return this.#withdrawn.size > 0 && this.#withdrawn.has(keyOf(offer));
  }

  deprecate(offer: Offer): void {
    this.#deprecated.add(keyOf(offer));
  }

  /** Adds Deprecated to the changes of a plan that leads to a deprecated target. */
  changesOf(offer: Offer, changes: readonly ChangeKind[]): readonly ChangeKind[] {
    if (this.#deprecated.size === 0 || !this.#deprecated.has(keyOf(offer)) || changes.includes('Deprecated'))
      return changes;
    return CHANGES.filter((kind) => kind === 'Deprecated' || changes.includes(kind));
  }
}

/** An order for one hop; `isStart`: it begins the attempt. */
export type HopOrder = Readonly<{ attempt: number; hop: number; isStart: boolean }>;

/** Finds other plans than those that were reviewed, each once in a cluster. */
export class ChangedPlans {
  readonly #found = new Set<string>();

  constructor(private readonly faults: Pick<Faults, 'of'>) {}

  /** Returns the class of the other plan. */
  classOf(subject: FaultSubject, { hop, isStart }: Omit<HopOrder, 'attempt'>, now: number): string | undefined {
    const isOfHop = (at: number | undefined): boolean => (at === undefined ? isStart : at === hop);
    const change = this.faults.of('planChanges', subject, now, (fault) => isOfHop(fault.planChanges?.hop));
    const key = `${subject.cluster.name}/${subject.rollout}/${change?.hop}`;
    if (change === undefined || this.#found.has(key)) return undefined;
    this.#found.add(key);
    return change.class;
  }
}
