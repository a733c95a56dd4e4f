import { makeStep } from '../controller/record/advance.js';
import type { VirtualHub } from './virtual-hub.js';

/**
 * A controller that believes to be the active one. It makes steps from a state of some time ago and tries to
 * write them. The hub API refuses writes that are based on an old version.
 */
export class SecondLeader {
  /** Steps that were refused. */
  refused = 0;

  constructor(
    readonly leader: VirtualHub,
    readonly staleBy: number,
    readonly until: number,
  ) {}

  settle(): void {
    const { records, world, writer } = this.leader;
    if (world.now >= this.until || writer.isDown) return;
    for (const record of records) {
      const facts = this.leader.factsOf(record);
      // A decision is read together with the rollout that it concerns.
      if (facts === undefined || record.isNew || record.isQueued || record.decisions.length > 0) continue;
      const { view, version } = record.viewAt(world.now - this.staleBy);
      const made = makeStep({ record: { ...view, isNew: false }, facts }, undefined, [...view.rows.keys()], world.now);
      const isIdle = made.changes.length === 0 && !made.hasStatus;
      if (isIdle || writer.isDown) continue;
      if (!writer.commitGuarded(record, made, version)) this.refused++;
    }
  }
}
