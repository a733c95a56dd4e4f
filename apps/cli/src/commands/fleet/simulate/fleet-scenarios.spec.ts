import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '#core/rollout/controller/record/event-log';
import type { RunSummary } from '#core/rollout/simulation/summary';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const FOLDER = join(PROJECT_ROOT, 'apps/cli/src/commands/fleet/simulate/scenarios');

/** Each scenario with how it ends, and lines `seconds kind place phase reason` that follow each other. */
const SCENARIOS = [
  {
    name: 'gates-and-promotion',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '1 gate lab Unknown pre',
      '301 gate lab Green pre',
      '301 wave lab AwaitingPromotion Manual',
      '600 decision lab Promote Effective',
      '600 wave lab Open Promoted',
      '980 wave canary Soaking Soak',
      '1040 gate canary Green errors',
      '1580 wave canary Complete Passed',
    ],
  },
  {
    name: 'offline-policies',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '50 cluster c-0003 Applying Unreachable',
      '3610 cluster c-0003 Applying Reachable',
      '3641 wave lab Complete Passed',
    ],
  },
  {
    name: 'superseded',
    exit: 0,
    ends: [
      'platform/kafka-1 Superseded NewerTarget',
      'platform/kafka-2 Superseded NewerTarget',
      'platform/kafka-3 Completed AllWavesComplete',
    ],
    // What has started is brought to its end; the catalogs lead the others to the newer target.
    lines: ['20 rollout  Progressing Superseding', '101 rollout  Superseded NewerTarget'],
  },
  {
    name: 'approvals',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '1 class deny Denied Rule',
      '1 class rbac Waiting Manual',
      '10 class rbac Waiting Partly',
      '30 decision rbac Approve NotAllowed',
      '40 class rbac Approved Decision',
      '50 decision deny Approve NotApplicable',
      '3620 class rbac Waiting Partly',
      '3640 class rbac Waiting Expired',
      '7200 class plain Rejected Decision',
      '18000 class plain NotNeeded Auto',
      '21600 class rbac Approved Decision',
      '25200 cluster c-0001 Skipped ByDecision',
    ],
  },
  {
    name: 'windows-and-break-glass',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '75600 world  WindowOpened ',
      '76800.001 cluster c-0004 Waiting Window',
      '163450 cluster c-0002 Waiting Frozen',
      '172800 decision  BreakGlass NotAllowed',
      '176400 decision  BreakGlass Effective',
      '176400 cluster c-0002 Waiting Budget',
      '183600 cluster c-0001 Waiting Window',
    ],
  },
  {
    name: 'failures-and-returns',
    exit: 1,
    ends: ['platform/kafka-1 RolledBack AllRolledBack', 'platform/kafka-2 Halted ThresholdExceeded'],
    lines: [
      '6 rollout  Progressing ThresholdExceeded',
      '41 rollout  Halted ThresholdExceeded',
      '221 cluster c-0008 Failed HealthLost',
      '1200 rollout  Progressing Retried',
      '1200 cluster c-0003 Applying Retry',
      '4845 cluster c-0009 Failed ApplyFailed',
      '4845 cluster c-0009 RollingBack ClusterFailure',
      '8520 rollout  Completed AllWavesComplete',
      '14400 cluster c-0002 RollingBack Decision',
      '18000 rollout  RollingBack Decision',
      '21600 rollout  Planning Retry',
    ],
  },
  {
    name: 'catalog-and-conflict',
    exit: 0,
    ends: [
      'platform/catalog-curated-1 Completed AllWavesComplete',
      'platform/kafka-1 Completed AllWavesComplete',
      'platform/redis-1 Completed AllWavesComplete',
    ],
    lines: [],
  },
  {
    name: 'membership',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '10 cluster c-0006 Removed Unplaced',
      '10 cluster c-0009 Removed Replaced',
      '10 cluster c-0009 Skipped IdentityChanged',
      '15 cluster c-0007 Removed Left',
      '20 cluster c-0008 Skipped ClusterPaused',
      '26 cluster new-1 Done UpToDate',
      '326 cluster new-2 Skipped Offline',
      '7200 cluster c-0008 Applying Started',
      '10801 cluster new-3 Applying Started',
      '14400 cluster c-0009 Applying Started',
    ],
  },
  {
    name: 'controller-faults',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: ['23 cluster c-0003 Applying Started', '52 cluster c-0003 Applying Rebuilt'],
  },
  {
    name: 'decisions',
    exit: 0,
    ends: ['platform/kafka-1 Completed AllWavesComplete'],
    lines: [
      '1 cluster c-0003 Waiting PlanChanged',
      '35 rollout  Paused Decision',
      '61 cluster c-0012 Applying RolloutPaused',
      '600 rollout  Progressing Resumed',
      '660 cluster c-0012 Failed ProgressDeadlineExceeded',
      '1200 decision  Retry Effective',
      '2400 decision  Abort NotApplicable',
    ],
  },
] as const;

const placeOf = ({ kind, cluster, wave, class: name }: FleetEvent): string =>
  (kind === 'cluster' ? cluster : kind === 'wave' || kind === 'gate' ? (cluster ?? wave) : (name ?? wave)) ?? '';
const lineOf = (event: FleetEvent): string =>
  `${event.t} ${event.kind} ${placeOf(event)} ${event.phase} ${event.reason}`;

/** The lines that are missing where they should follow those before. */
function missing(wanted: readonly string[], events: readonly FleetEvent[]): string[] {
  const said = events.map(lineOf);
  let at = 0;
  return wanted.filter((line) => {
    const found = said.indexOf(line, at);
    if (found >= 0) at = found;
    return found < 0;
  });
}

describe('scenarios of flotilla fleet simulate', () => {
  it.each(SCENARIOS)('$name', async ({ name, exit, ends, lines }) => {
    const [files, faults] = [join(FOLDER, name, 'files.yaml'), join(FOLDER, name, 'faults.yaml')];
    const played = await runFlotilla(['fleet', 'simulate', '-f', files, '--faults', faults, '-o', 'json']);
    const all = played.out.trimEnd().split('\n');
    const events = all.slice(0, -1).map((line) => JSON.parse(line) as FleetEvent);
    const summary = JSON.parse(all.at(-1) ?? '') as RunSummary;
    expect(summary.rollouts.map((one) => `${one.name} ${one.phase} ${one.reason}`)).toEqual(ends);
    expect({ exit: played.exit, violations: summary.invariants.violations }).toEqual({ exit, violations: [] });
    expect(missing(lines, events)).toEqual([]);
  });
});
