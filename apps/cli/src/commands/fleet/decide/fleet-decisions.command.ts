import type { Command } from 'commander';
import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { gathered } from '../../../clusters/cluster-options.js';
import { namespaceOption } from '../../../clusters/namespace-option.js';
import { ANSWER_FORMATS, type AnswerFormat, outputOption } from '../../../output/output-option.js';
import type { Io } from '../../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../hub/hub-options.js';

/** A verb that makes a FleetDecision: the options that narrow it, and its purpose. */
type Verb = Readonly<{
  name: string;
  action: DecisionAction;
  description: string;
  narrowedBy: readonly ('class' | 'wave' | 'clusters' | 'for')[];
  help: string;
  examples: readonly string[];
}>;

const VERBS: readonly Verb[] = [
  {
    name: 'approve',
    action: 'Approve',
    description: 'approve a plan class, so that its clusters may start',
    narrowedBy: ['class'],
    help: 'First shows the changes of the class. The rules of the strategy say whose approval counts, and how many are needed.',
    examples: ['kafka-7 --class 3f9c --reason "CHG-1182"', 'kafka-7 --all-classes --reason "CHG-1182" --dry-run'],
  },
  {
    name: 'reject',
    action: 'Reject',
    description: 'reject a plan class: no further cluster of it starts',
    narrowedBy: ['class'],
    help: 'Cancels earlier approvals; a later approval cancels the rejection.',
    examples: ['kafka-7 --class 3f9c --reason "reads all Secrets"'],
  },
  {
    name: 'pause',
    action: 'Pause',
    description: 'pause a rollout: start nothing new, let running upgrades finish',
    narrowedBy: [],
    help: 'Verification and soaks continue.',
    examples: ['kafka-7 --reason "incident 77"'],
  },
  {
    name: 'resume',
    action: 'Resume',
    description: 'resume a rollout that is paused or halted',
    narrowedBy: [],
    help: 'Resuming a halted rollout ignores its failures so far; the clusters stay Failed.',
    examples: ['kafka-7 --reason "incident 77 is over"'],
  },
  {
    name: 'promote',
    action: 'Promote',
    description: 'open a wave that waits for promotion, or end its soak',
    narrowedBy: ['wave'],
    help: 'Without --wave: every wave that waits for promotion, soaks, or has too few successes.',
    examples: ['kafka-7 --wave canary --reason "looked at the dashboards"'],
  },
  {
    name: 'retry',
    action: 'Retry',
    description: 'retry clusters that failed, were rolled back or were skipped',
    narrowedBy: ['class', 'wave', 'clusters'],
    help: 'The failure no longer counts, and the target is no longer denied there. If the rollout was rolled back or aborted, a new rollout of the same target begins, unless the catalog has withdrawn the target.',
    examples: ['kafka-7 -C store-0412 --reason "node was full"'],
  },
  {
    name: 'skip',
    action: 'Skip',
    description: 'skip clusters: they count as neither success nor failure',
    narrowedBy: ['class', 'wave', 'clusters'],
    help: 'Clusters that wait or have failed do not change; "flotilla fleet retry" includes them again.',
    examples: ['kafka-7 -C store-0412 --reason "to be replaced"'],
  },
  {
    name: 'abort',
    action: 'Abort',
    description: 'abort a rollout: start nothing new, roll nothing back',
    narrowedBy: [],
    help: 'Running upgrades finish first.',
    examples: ['kafka-7 --reason "wrong version"'],
  },
  {
    name: 'rollback',
    action: 'Rollback',
    description: 'roll clusters back to their previous version',
    narrowedBy: ['class', 'wave', 'clusters'],
    help: 'Without names: rolls back every cluster that the rollout changed, and denies the target to its subject.',
    examples: ['kafka-7 --reason "CHG-1183"', 'kafka-7 -C store-0412 --reason "CHG-1183"'],
  },
  {
    name: 'break-glass',
    action: 'BreakGlass',
    description: 'lift the windows of a rollout for a limited time',
    narrowedBy: ['for'],
    help: 'Lifts windows that have one of your groups in breakGlassGroups, for at most four hours.',
    examples: ['kafka-7 --for 1h --reason "CVE-2026-1"'],
  },
];

const END = `Exit code 1 where it does not apply, or you may not decide it; 3 where no controller answers in time (the decision stays).
${FLEET_STORE_HELP}`;

type Options = FleetHubOptions &
  Readonly<{
    namespace?: string;
    class?: string;
    allClasses?: boolean;
    wave?: string;
    cluster?: readonly string[];
    for?: string;
    reason?: string;
    dryRun?: boolean;
    wait: boolean;
    timeout: string;
    output: AnswerFormat;
  }>;

/**
 * Registers `flotilla fleet approve`, `pause`, `rollback` …: each makes a FleetDecision, and waits for its
 * effect.
 */
export function fleetDecisionCommands(fleet: Command, io: Io): void {
  for (const verb of VERBS) decisionCommand(fleet, io, verb);
}

function decisionCommand(
  fleet: Command,
  io: Io,
  { name, action, description, narrowedBy, help, examples }: Verb,
): void {
  const command = withFleetHubOptions(fleet.command(name).argument('<rollout>'))
    .description(description)
    .addOption(namespaceOption('the namespace of the rollout (default: any)'));
  if (narrowedBy.includes('class'))
    command.option('--class <hash>', 'only this plan class; its first characters are enough');
  if (action === 'Approve' || action === 'Reject') command.option('--all-classes', 'every waiting class');
  if (narrowedBy.includes('wave')) command.option('--wave <name>', 'only this wave');
  if (narrowedBy.includes('clusters')) {
    command.option('-C, --cluster <name>', 'only this cluster; may be given several times', gathered);
  }
  if (narrowedBy.includes('for')) command.option('--for <duration>', 'duration, such as 1h');
  command
    .option('--reason <text>', 'the reason; required (on a terminal the command asks for it)')
    .option('--dry-run', 'print the effect, and do nothing')
    .option('--no-wait', 'do not wait for the effect')
    .option('--timeout <duration>', 'time to wait for the controller', '30s')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS));
  const shown = examples.map((one) => `  flotilla fleet ${name} ${one}`).join('\n');
  command
    .addHelpText('after', `\n${help}\n${END}\n\nExample${examples.length > 1 ? 's' : ''}:\n${shown}`)
    .action(async (rollout: string, { cluster, dryRun = false, ...options }: Options) => {
      const [{ withHub }, { makeDecisions }] = await Promise.all([
        import('../hub/open-hub.js'),
        import('./make-decisions.js'),
      ]);
      const order = { ...options, action, rollout, clusters: cluster, dryRun };
      await withHub(options, io, (hub) => makeDecisions(hub, io, order));
    });
}
