import type { GateAnswers } from '../controller/facts/fleet-view.js';
import type { GateAnswer } from '../controller/step/gate-progress.js';
import type { GateQuestion } from '../gates/gate-question.js';
import type { VirtualRollout } from './virtual-rollout.js';
import type { VirtualWorld } from './world.js';

/** Gates that answer as the faults of a scenario say, at once; the others are green. */
export class VirtualGates implements GateAnswers {
  readonly takesChecks = true;

  constructor(
    private readonly hub: Readonly<{ records: readonly VirtualRollout[] }>,
    private readonly world: VirtualWorld,
  ) {}

  take(question: GateQuestion, attempt: number): GateAnswer {
    const { rollout, wave, cluster } = question;
    if (cluster !== null) return this.#answerIn(cluster, question, attempt) ?? 'green';
    const record = this.hub.records.find(({ spec }) => spec.name === rollout);
    const index = record?.spec.waves.findIndex(({ name }) => name === wave);
    for (const row of record?.rows.values() ?? []) {
      const answer = row.wave === index ? this.#answerIn(row.cluster, question, attempt) : undefined;
      if (answer !== undefined) return answer;
    }
    return 'green';
  }

  #answerIn(name: string, { rollout, bundle, gate }: GateQuestion, attempt: number): GateAnswer | undefined {
    const cluster = this.world.clusters.get(name);
    if (cluster === undefined) return undefined;
    const subject = { cluster, rollout, bundle, attempt };
    const { faults } = this.world.options;
    return faults.of('gate', subject, this.world.now, (fault) => fault.gate?.name === gate.name)?.answer;
  }
}
