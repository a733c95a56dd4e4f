import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock/clock.port.js';
import { type LeaseRequest, Leases, type LeaseTable } from './leases.port.js';

type Held = { owner: string | undefined; fence: number; untilMs: number };

/** Leases within one process: for tests, and for a hub of one process. */
export class MemoryLeases extends Leases {
  readonly #epoch = randomUUID();
  readonly #members = new Map<string, number>();
  readonly #held = new Map<number, Held>();

  constructor(private readonly clock: Clock) {
    super();
  }

  async exchange({ member, ending, wanted, leaseMs }: LeaseRequest): Promise<LeaseTable> {
    const nowMs = this.clock.now().getTime();
    this.#expire(nowMs);
    if (ending) this.#members.delete(member);
    else this.#members.set(member, nowMs + leaseMs);
    for (const [shard, held] of this.#held) {
      if (held.owner === member && !wanted.includes(shard)) held.owner = undefined;
    }
    for (const shard of wanted) this.#take(shard, member, { nowMs, untilMs: nowMs + leaseMs });
    const leases = [...this.#held].flatMap(([shard, { owner, fence, untilMs }]) =>
      owner === undefined ? [] : [[shard, { owner, fence, leftMs: untilMs - nowMs }] as const],
    );
    const members = [...this.#members].map(([name, untilMs]) => [name, untilMs - nowMs] as const);
    return { epoch: this.#epoch, members: new Map(members), leases: new Map(leases) };
  }

  #expire(nowMs: number): void {
    for (const [name, untilMs] of this.#members) if (untilMs <= nowMs) this.#members.delete(name);
    for (const held of this.#held.values()) if (held.untilMs <= nowMs) held.owner = undefined;
  }

  #take(shard: number, member: string, { nowMs, untilMs }: Readonly<{ nowMs: number; untilMs: number }>): void {
    const held = this.#held.get(shard) ?? { owner: undefined, fence: 0, untilMs: 0 };
    if (held.owner !== undefined && held.owner !== member) return;
    if (held.owner === undefined) held.fence = Math.max(held.fence + 1, nowMs);
    this.#held.set(shard, { owner: member, fence: held.fence, untilMs });
  }
}
